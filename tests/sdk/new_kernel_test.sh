# new_kernel_test.sh SOURCE_DIR BINARY_DIR: the kernel scaffold, built as the tree would build it.
set -euo pipefail
source_dir=$1
binary_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/tools"
cp -r "$source_dir/tools/new" "$source_dir/tools/scaffold" "$work/tree/tools/"
"$work/tree/tools/new" kernel clamp_negative > /dev/null
c++ -std=c++20 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -I "$work/tree" -I "$binary_dir/include" \
  "$work"/tree/kernels/clamp_negative/*.cpp -lgtest_main -lgtest -o "$work/test"
"$work/test"
