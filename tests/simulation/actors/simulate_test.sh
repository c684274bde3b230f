# simulate_test.sh PROGRAM: a seed gives the same run in every process; wrong arguments are refused.
set -euo pipefail
program=$1

# All but the time it took.
run() { "$program" "$@" | sed 's/, [0-9.e-]* s$//'; }
first=$(run --seed 17)
for _ in 1 2 3; do
  [ "$(run --seed 17)" = "$first" ] || { echo "seed 17 gave two different runs"; exit 1; }
done
grep -q '^turn ' <<< "$first" || { echo "--seed shows nothing of its run"; exit 1; }
grep -q 'faults by kind' <<< "$(run --first 5 --seeds 3)" || { echo "no faults are shown"; exit 1; }
"$program" --help | grep -q 'Usage: tools/simulate' || { echo "--help shows no usage"; exit 1; }
for wrong in '--seeds' '--seeds x' '--seed -1' '--what 3'; do
  rc=0
  # shellcheck disable=SC2086
  "$program" $wrong > /dev/null 2>&1 || rc=$?
  [ "$rc" = 2 ] || { echo "'$wrong' ended with $rc; expected 2"; exit 1; }
done
