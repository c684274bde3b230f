# run_page.sh SOURCE_DIR BINARY_DIR PAGE: runs the page's ```sh blocks, one after the other in one shell, in a scratch
# copy of the tree whose build/release is this build. Blocks marked ```sh needs-model run where the default model is;
# with except=chat,serve lines that call these commands are left out; ```sh by-hand and ```console are not run. What a
# page says of them is shown by a script of the page's name beside this one, which runs after the page's blocks.
set -euo pipefail
source_dir=$1
binary_dir=$2
page=$3
model=${TROUPE_TEST_MODEL:-${TROUPE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/troupe}/models/SmolLM2-135M-Instruct.Q4_1.gguf}
# The README names the model's usual place, and answers without a limit of tokens: too slow for sanitizers.
if [ "$(basename "$page")" = README.md ]; then
  model=$HOME/.cache/troupe/models/SmolLM2-135M-Instruct.Q4_1.gguf
  unset TROUPE_CACHE XDG_CACHE_HOME
  grep -q '^CMAKE_BUILD_TYPE:.*=Release$' "$binary_dir/CMakeCache.txt" || model=/nowhere
fi

# Links to files and pages of this repository must lead somewhere.
broken=0
while read -r link; do
  target=${link%%#*}
  case $target in '' | http*) continue ;; esac
  [ -e "$(dirname "$page")/$target" ] || { echo "$(basename "$page"): the link to '$target' leads nowhere"; broken=1; }
done < <(grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//')
[ "$broken" = 0 ] || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/build"
for folder in tools kernels plugins pipelines configs docs; do
  [ ! -d "$source_dir/$folder" ] || cp -r "$source_dir/$folder" "$work/tree/"
done
# Older than the program, or tools/quickstart would build it again.
touch "$work/tree/CMakeLists.txt" "$work/tree/CMakePresets.json"
mkdir -p "$work/tree"/{cmake,runtime}
find "$work/tree" -exec touch -d 2000-01-01 {} +
ln -s "$binary_dir" "$work/tree/build/release"

{
  echo 'set -euo pipefail'
  awk -v have_model="$([ -f "$model" ] && echo 1 || echo 0)" '
    /^```/ && inside { inside = 0; next }
    /^```sh$/ { inside = 1; except = ""; next }
    /^```sh needs-model( except=.*)?$/ && have_model == 1 {
      inside = 1
      except = $0
      except = sub(/.*except=/, "", except) ? except : "none"
      gsub(/,/, "|", except)
      next
    }
    /^```/ { inside = 2; next }
    inside == 1 && (except == "" || $0 !~ " (" except ") ") { print }' "$page"
  after=$(dirname "${BASH_SOURCE[0]}")/$(basename "$page" .md).sh
  [ ! -f "$after" ] || cat "$after"
} > "$work/commands.sh"

cd "$work/tree"
export PATH="$binary_dir/bin:$PATH" model source_dir
bash -x "$work/commands.sh"
