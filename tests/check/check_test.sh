# check_test.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
command -v clang-format-14 > /dev/null && command -v git > /dev/null ||
  { echo "skipped: clang-format-14 or git is not installed (tools/test installs them)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir -p "$tree/tools"
cp "$source_dir/tools/check" "$source_dir/tools/setup.sh" "$tree/tools/"
cp "$source_dir/.clang-format" "$tree/"
git -C "$tree" init --quiet

write() { # write FILE LINE...
  local file=$tree/$1
  shift
  mkdir -p "$(dirname "$file")"
  printf '%s\n' "$@" > "$file"
}
failed=0
# expect RC TEXT WHAT: runs tools/check and looks for TEXT in what it says.
expect() {
  local rc=0
  "$tree/tools/check" > "$work/out" 2>&1 || rc=$?
  [ "$rc" = "$1" ] && grep -qF -- "$2" "$work/out" && return
  echo "$3: exit code $rc, expected $1 and the words '$2'; it said:"
  sed 's/^/  /' "$work/out"
  failed=1
}

# What may stand together: each layer with what it may know.
write runtime/api/result.h '#pragma once' '#include <tl/expected.hpp>' '' '#include <string>'
write runtime/core/json.cpp '#include "troupe/api/result.h"' '' '#include <nlohmann/json.hpp>' '#include <spdlog/spdlog.h>'
write runtime/core/words.cpp '// A comment may say exit(1) or std::cerr.' 'int snprintf_length();'
write runtime/actors/shell.h '#pragma once' '#include "troupe/model/spec.h"' '' '#include <caf/all.hpp>'
write runtime/plugin/registry.cpp '#include <boost/dll/shared_library.hpp>'
write runtime/pipeline/toml.cpp '#include "troupe/plugin/registry.h"' '' '#include <toml++/toml.h>'
write runtime/model/file_test.cpp '#include <gtest/gtest.h>'
write kernels/rope/rope.cpp '#include "kernels/lanes/lanes.h"' '#include "troupe/device/cpu_features.h"'
write plugins/executor/null/forward.cpp '#include "kernels/rope/rope.h"' '#include "plugins/executor/null/layer.h"' '#include "troupe/device/team.h"'
write plugins/ingress/zmq/door.cpp '#include <zmq.h>'
write plugins/tokenizer/bpe/nfc.cpp '#include <utf8proc.h>'
write plugins/kv_cache/paged/prefix_hash.cpp '#include <xxhash.h>'
write plugins/tokenizer/bpe/split.cpp '#include <pcre2.h>' '#include <xxhash.h>'
write tools/troupe/main.cpp '#include "troupe/engine/engine.h"' '' '#include <CLI/CLI.hpp>' '#include <histedit.h>' '' 'void f() {' '  puts("a program prints");' '}'
expect 0 'checks passed' 'a clean tree'
cp -r "$tree" "$work/clean"

# One fault alone fails the check.
write runtime/core/a.cpp '#include <caf/all.hpp>'
expect 1 '1 checks failed' 'one fault'
rm "$tree/runtime/core/a.cpp"

# Every kind of fault, each in a file of its own: the check names these and no others.
planted=0
fault() { # fault TITLE FOLDER LINE...: the word @ in FOLDER becomes the file's own name
  planted=$((planted + 1))
  local file=${2/@/fault_$planted}
  echo "$1: $file" >> "$work/expected"
  shift 2
  write "$file" "$@"
}
includes() { fault "$1" "$2/@.cpp" "#include $3"; } # includes TITLE FOLDER HEADER
may_not() { includes "${3:-$1} includes what it may not know" "$1" "$2"; }

fault 'not formatted (tools/check --fix does it)' runtime/core/@.cpp 'int  f( ) ;'
includes 'CAF outside runtime/actors and runtime/engine' runtime/core '<caf/all.hpp>'
includes 'Boost outside runtime/plugin' runtime/core '<boost/asio.hpp>'
includes 'toml++ outside runtime/pipeline' plugins/stage/guard '<toml++/toml.h>'
includes 'ZeroMQ outside plugins/ingress/zmq, examples and tests' runtime/engine '<zmq.hpp>'
includes 'nlohmann-json outside runtime/core and examples' runtime/model '<nlohmann/json.hpp>'
includes 'spdlog or fmt outside runtime/core' runtime/model '<fmt/format.h>'
includes 'spdlog or fmt outside runtime/core' plugins/stage/guard '<spdlog/spdlog.h>'
includes 'xxHash outside plugins/{executor/transformer,kv_cache/paged,tokenizer/bpe}' runtime/model '<xxhash.h>'
includes 'PCRE2 or utf8proc outside plugins/tokenizer/bpe' plugins/stage/guard '<utf8proc.h>'
includes 'PCRE2 or utf8proc outside plugins/tokenizer/bpe' tools/troupe '<pcre2.h>'
includes 'CLI11 outside tools/troupe' runtime/core '<CLI/CLI.hpp>'
includes 'libedit outside tools/troupe' runtime/core '<histedit.h>'
includes 'GoogleTest outside tests and what serves them' runtime/core '<gtest/gtest.h>'
includes 'CUDA or NCCL outside runtime/device, runtime/comm and .cu files' runtime/model '<cuda_runtime.h>'
includes 'runtime/api includes more than the standard library and tl::expected' runtime/api '<sys/mman.h>'
may_not runtime/api '"troupe/core/log.h"'
may_not runtime/core '"troupe/model/spec.h"'
may_not runtime/model '"troupe/plugin/registry.h"'
may_not runtime/device '"troupe/model/spec.h"'
may_not runtime/comm '"troupe/model/spec.h"'
may_not runtime/testing '"troupe/engine/engine.h"'
may_not runtime/plugin '<troupe/pipeline/check.h>'
may_not runtime/pipeline '"troupe/actors/shell.h"'
may_not runtime/actors '"troupe/engine/engine.h"'
may_not runtime/engine '"plugins/executor/null/layer.h"'
may_not kernels/rope '"troupe/core/log.h"' kernels
may_not tools/troupe '"troupe/actors/shell.h"' tools
may_not plugins/stage/guard '"troupe/actors/shell.h"'
may_not plugins/stage/guard '"troupe/device/team.h"'
may_not plugins/stage/guard '"plugins/stage/guards/words.h"'
may_not plugins/executor/null '"plugins/executor/transformer/layer.h"'
includes 'a relative include; name the header from its layer' plugins/stage/guard '"../../executor/null/layer.h"'
includes 'a relative include; name the header from its layer' runtime/core '"log/../json.h"'
fault 'a library prints or ends its host' runtime/core/@.cpp 'void f() {' '  std::cerr << 1;  // says so' '}'
fault 'a library prints or ends its host' kernels/rope/@.cpp 'void f() {' '  std::abort();' '}'
fault 'unfinished work in a comment; file an issue instead' plugins/stage/guard/@.cpp '// TO''DO: later'
fault 'unfinished work in a comment; file an issue instead' tools/@ '# FIX''ME'
fault 'a header without #pragma once' runtime/core/@.h 'int f();'
fault 'a vague name; say what the thing is' runtime/core/@_utils.cpp 'int f();'

titles=$(sed 's/: [^ ]*$//' "$work/expected" | sort -u | wc -l)
expect 1 "$titles checks failed" 'every kind of fault'
# TITLE: and indented FILE[:LINE:TEXT] lines become TITLE: FILE.
awk '/^  / { sub(/^  /, ""); sub(/:.*/, ""); print title " " $0; next } { title = $0 }' "$work/out" | sort -u > "$work/reported"
sort -u "$work/expected" | diff - "$work/reported" || { echo "planted (<) and reported (>) differ"; failed=1; }
"$tree/tools/check" --fix > "$work/out" 2>&1 && { echo "--fix passed a tree with faults"; failed=1; }
grep -q 'not formatted' "$work/out" && { echo "--fix did not format"; failed=1; }
[ "$(cat "$tree/runtime/core/fault_1.cpp")" = 'int f();' ] || { echo "--fix wrote something else"; failed=1; }

# Outside git the same holds; a tree whose files cannot be listed does not pass.
tree=$work/clean
rm -rf "$tree/.git"
expect 0 'checks passed' 'a clean tree outside git'
write runtime/core/a.cpp '#include <caf/all.hpp>'
expect 1 '1 checks failed' 'a fault outside git'
echo 'gitdir: nowhere' > "$tree/.git"
expect 1 'git cannot list' 'a broken repository'
exit "$failed"
