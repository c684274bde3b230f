# clients_test.sh SOURCE_DIR BINARY_DIR
set -euo pipefail
source_dir=$1
binary_dir=$2
troupe=$binary_dir/bin/troupe
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill -9 "$server" 2> /dev/null; rm -rf "$work"' EXIT
# `! command` does not end a script under `set -e`: this does.
expect_failure() {
  if "$@"; then
    echo "expected this to fail, and it did not: $*"
    exit 1
  fi
}

"$troupe" model tiny "$work/tiny.gguf" > /dev/null
"$troupe" serve "$source_dir/pipelines/serve.toml" --model "$work/tiny.gguf" --set 'zmq.bind="tcp://127.0.0.1:*"' \
  > "$work/out" 2> "$work/err" &
server=$!
for _ in $(seq 300); do
  endpoint=$(grep -ohE 'tcp://127\.0\.0\.1:[0-9]+' "$work/out" "$work/err" | head -n 1 || true)
  grep -q ready "$work/out" "$work/err" && [ -n "$endpoint" ] && break
  kill -0 "$server" || { cat "$work/err"; exit 1; }
  sleep 0.1
done
[ -n "$endpoint" ] || { echo "the server never said where it listens:"; cat "$work/out" "$work/err"; exit 1; }

"$binary_dir/examples/client" "$endpoint" "hello there" > "$work/cpp"
# Debian's Python: the one that has python3-zmq.
python=/usr/bin/python3
"$python" -c 'import zmq' 2> /dev/null || { echo "python3-zmq is not installed; expected it (tools/test installs it)"; exit 1; }
"$python" "$source_dir/tools/examples/client.py" "$endpoint" "hello there" > "$work/python"
[ -s "$work/cpp" ] || { echo "the C++ client printed nothing"; exit 1; }
cmp "$work/cpp" "$work/python"  # one seedless greedy request: equal answers

# Clients tell what a server refuses.
expect_failure "$binary_dir/examples/client" "$endpoint" "$(printf 'x%.0s' $(seq 20000))" > /dev/null 2> "$work/refused"
grep -q 'error: ' "$work/refused"

kill -TERM "$server"
wait "$server"  # exit code 0, or this script fails
server=
