# run_page.sh SOURCE_DIR BINARY_DIR PAGE: runs the page's ```sh blocks, one after the other in one shell, in a scratch
# copy of the tree whose build/release is this build. Blocks marked ```sh needs-model run where the default model is.
set -euo pipefail
source_dir=$1
binary_dir=$2
page=$3
model=${TROUPE_TEST_MODEL:-${TROUPE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/troupe}/models/SmolLM2-135M-Instruct.Q4_1.gguf}

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
ln -s "$binary_dir" "$work/tree/build/release"

{
  echo 'set -euo pipefail'
  awk -v have_model="$([ -f "$model" ] && echo 1 || echo 0)" '
    /^```/ && inside { inside = 0; next }
    /^```sh$/ { inside = 1; next }
    /^```sh needs-model$/ && have_model == 1 { inside = 1; next }
    /^```/ { inside = 2; next }
    inside == 1 { print }' "$page"
} > "$work/commands.sh"

cd "$work/tree"
export PATH="$binary_dir/bin:$PATH" model
bash -x "$work/commands.sh"
