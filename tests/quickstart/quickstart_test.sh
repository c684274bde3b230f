# quickstart_test.sh SOURCE_DIR: needs no network and changes nothing outside its scratch folder.
set -euo pipefail
source_dir=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir -p "$tree/tools" "$tree/build/release/bin" "$tree/.ci" "$work/bin" "$work/elsewhere"
cp "$source_dir/tools/quickstart" "$source_dir/tools/setup.sh" "$source_dir/tools/default_model.sh" "$tree/tools/"
cp "$source_dir/.ci/run" "$tree/.ci/"
mkdir -p "$tree"/{cmake,runtime,plugins,kernels,pipelines}
touch "$tree/CMakeLists.txt" "$tree/CMakePresets.json"
stand_in() { # stand_in FILE LINE...: a program that does these lines
  { echo '#!/usr/bin/env bash'; printf '%s\n' "${@:2}"; } > "$1"
  chmod +x "$1"
}
stand_in "$tree/build/release/bin/troupe" 'printf "<%s>" "${@:3}"' '[ ! -f "$4" ] || printf found'
stand_in "$tree/tools/test" 'echo tested'

fail() {
  echo "$1; it said:"
  cat "$work/out"
  exit 1
}
# expect RC TEXT COMMAND...
expect() {
  local rc=0
  "${@:3}" > "$work/out" 2>&1 < /dev/null || rc=$?
  [ "$rc" = "$1" ] && grep -qF -- "$2" "$work/out" || fail "exit code $rc, expected $1 and '$2' of: ${*:3}"
}

# The question is the last argument, and a path is relative to where the user stands.
cd "$work/elsewhere"
touch my.gguf
expect 0 '<--model><my.gguf><--prompt><hi>found' "$tree/tools/quickstart" --model my.gguf hi
expect 0 '<--model><my.gguf><--dry><--prompt><hi>' "$tree/tools/quickstart" --model=my.gguf --dry hi
expect 0 '<--raw><--temperature><0><--seed=3><--prompt><hi you>' "$tree/tools/quickstart" --model my.gguf --raw --temperature 0 --seed=3 'hi you'
expect 2 "put the question last" "$tree/tools/quickstart" --model my.gguf hi --temperature 0
expect 2 "put the question last" "$tree/tools/quickstart" --model my.gguf why is it
expect 2 "expected the question there" "$tree/tools/quickstart" --raw
expect 2 "--model needs a path" "$tree/tools/quickstart" --model my.gguf
expect 2 "found no question" "$tree/tools/quickstart"
expect 2 "there is no model file no.gguf" "$tree/tools/quickstart" --model no.gguf hi
expect 0 "Usage" "$tree/tools/quickstart" --help

# A failed download says what to do, leaves nothing behind, and does not stop the tests.
export TROUPE_CACHE=$work/cache
stand_in "$work/bin/python3" 'touch "${@: -2:1}/part.whl"; echo no network >&2; exit 1'
stand_in "$work/bin/dpkg-query" 'echo install ok installed'
export PATH=$work/bin:$PATH
expect 1 'could not be downloaded' "$tree/tools/quickstart" hi
[ -z "$(ls -A "$work/cache/models")" ] || fail "a failed download left $(ls -A "$work/cache/models")"
expect 0 'tested' "$tree/.ci/run"
grep -q 'warning: going on without the default model' "$work/out" || fail "no warning of the missing model"

# Packages: named first, the work shown, and another system than Debian 12 told what to do.
stand_in "$work/bin/dpkg-query" 'exit 1'
stand_in "$work/bin/apt-get" 'echo "Unpacking libthing (1.0)"' 'case $* in *install*) sleep 2; echo "E: no room"; exit ${APT_RC:-0} ;; esac'
stand_in "$work/bin/sudo" '"$@"'
echo 'ID=debian VERSION_CODENAME=bookworm' > "$work/bookworm"
printf 'ID=other\nPRETTY_NAME="Other 1"\n' > "$work/other"
installing=(bash -c 'set -euo pipefail; source "$0/tools/setup.sh"; install_packages libthing && echo went on' "$tree")
TROUPE_OS_RELEASE=$work/bookworm expect 0 'went on' "${installing[@]}"
grep -q 'installing Debian packages: libthing' "$work/out" || fail 'the packages are not named'
if grep -q warning "$work/out"; then fail "a warning on Debian 12"; fi
TROUPE_OS_RELEASE=$work/other expect 0 'went on' "${installing[@]}"
grep -q 'warning: this is Other 1' "$work/out" || fail 'no warning on another system'
APT_RC=100 TROUPE_OS_RELEASE=$work/other expect 1 'E: no room' "${installing[@]}"
grep -q 'run it in Debian 12' "$work/out" || fail 'no advice on another system'
(source "$tree/tools/setup.sh"; { echo "Unpacking libthing (1.0)"; sleep 1.2; echo more; } | progress 1) 2> "$work/out"
grep -q 's: Unpacking libthing' "$work/out" || fail 'no progress is shown'
