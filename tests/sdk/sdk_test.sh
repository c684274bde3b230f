# sdk_test.sh SOURCE_DIR BINARY_DIR: installs the build, makes plugins outside the tree, builds and loads them.
set -euo pipefail
source_dir=$1
binary_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# `! command` does not end a script under `set -e`: this does.
expect_failure() {
  if "$@"; then
    echo "expected this to fail, and it did not: $*"
    exit 1
  fi
}

cmake --install "$binary_dir" --prefix "$work/prefix" > "$work/install.log" || { cat "$work/install.log"; exit 1; }

for pair in sampler:top_a scheduler:shortest_first stage:censor router:least_busy; do
  "$source_dir/tools/new" "${pair%:*}" "${pair#*:}" --project "$work/project" > /dev/null
  grep -q "add_subdirectory(${pair#*:})" "$work/project/CMakeLists.txt" || echo "add_subdirectory(${pair#*:})" >> "$work/project/CMakeLists.txt"
done
cmake -S "$work/project" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror" > "$work/configure.log" || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/build"
ctest --test-dir "$work/build" --output-on-failure

# The installed program finds its own plugins, and those of the project when it is told where.
program=$work/prefix/bin/troupe
cd "$work"
"$program" inspect --plugin-path "$work/build/lib/troupe/plugins" > inspected.txt
for name in top_a shortest_first censor least_busy gumbel continuous static; do
  grep -q "$name" inspected.txt || { echo "troupe inspect does not show $name:"; cat inspected.txt; exit 1; }
done
"$program" inspect --plugin-path "$work/build/lib/troupe/plugins" top_a | grep -q larger_id_on_tie
"$program" check chat.toml --plugin-path "$work/build/lib/troupe/plugins" --set 'operators.sampler.plugin="top_a"'

# tools/new tells what it cannot do.
expect_failure "$source_dir/tools/new" sampler top_a --project "$work/project" 2> "$work/again.txt"
grep -q "is there already" "$work/again.txt"
expect_failure "$source_dir/tools/new" sampler Top-A 2> "$work/name.txt"
grep -q "expected lower case" "$work/name.txt"
