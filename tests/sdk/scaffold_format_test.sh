# scaffold_format_test.sh SOURCE_DIR: whatever tools/new makes passes tools/check, which the next commit runs.
set -euo pipefail
source_dir=$1
command -v clang-format-14 > /dev/null || { echo "skipped: clang-format-14 is not installed (tools/test installs it)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/tools" "$work/bin"
cp -r "$source_dir/tools/new" "$source_dir/tools/scaffold" "$source_dir/tools/check" "$source_dir/tools/setup.sh" "$work/tree/tools/"
cp "$source_dir/.clang-format" "$work/tree/"

# Names of usual length need no clang-format on the machine: the scaffolds themselves are formatted.
for tool in bash basename cat dirname echo ls mkdir sed; do ln -s "$(command -v "$tool")" "$work/bin/$tool"; done
for kind in sampler scheduler stage router kernel architecture; do
  PATH="$work/bin" "$work/tree/tools/new" "$kind" min_p > /dev/null
  "$work/tree/tools/new" "$kind" a > /dev/null
  "$work/tree/tools/new" "$kind" a_name_that_is_longer_than_any_other_name > /dev/null
done
made=$(find "$work/tree/plugins" "$work/tree/kernels" -name '*.cpp' -o -name '*.h')
[ "$(wc -l <<< "$made")" = 39 ] || { echo "expected 39 files of code; found:"; echo "$made"; exit 1; }
clang-format-14 --dry-run -Werror $made
"$work/tree/tools/check"

# In a project elsewhere too.
"$source_dir/tools/new" sampler a_name_that_is_longer_than_any_other_name --project "$work/project" > /dev/null
cp "$source_dir/.clang-format" "$work/project/"
clang-format-14 --dry-run -Werror "$work"/project/*/*.cpp
