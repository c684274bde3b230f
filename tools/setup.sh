# Shared by tools/quickstart, tools/test and tools/check; sourced, not run.
# Steps that may fail say what failed and what to do about it.

troupe_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(
  g++ cmake ninja-build ccache pkg-config git ca-certificates
  libcaf-dev libboost-dev libboost-filesystem-dev libtomlplusplus-dev libzmq3-dev cppzmq-dev
  libpcre2-dev libutf8proc-dev libcli11-dev nlohmann-json3-dev libspdlog-dev libfmt-dev libxxhash-dev libexpected-dev
  libedit-dev libgtest-dev libgmock-dev
)
test_packages=(clang-format-14 python3 python3-zmq binutils)
model_packages=(python3 python3-pip)

say() { printf '%s\n' "$*" >&2; }
die() {
  say "error: $1"
  shift
  for line in "$@"; do say "  $line"; done
  exit 1
}

require_debian() {
  command -v apt-get > /dev/null && command -v dpkg-query > /dev/null && return
  die "found no apt-get; Troupe is built on Debian 12 (bookworm)" \
    "on another system install the libraries that tools/setup.sh lists in build_packages, then run" \
    "cmake --preset release && cmake --build build/release"
}

# The system's name when it is not the one Troupe is built and tested on; nothing on Debian 12.
other_system() (
  # shellcheck source=/dev/null
  . "${TROUPE_OS_RELEASE:-/etc/os-release}" 2> /dev/null
  [ "${ID:-}:${VERSION_CODENAME:-}" = debian:bookworm ] || echo "${PRETTY_NAME:-an unknown system}"
)

# progress: shows one of the lines that an installation writes every few seconds, and that it lives when it writes none.
progress() { # progress [SECONDS]
  local line shown='' last=$SECONDS started=$SECONDS every=30 rc
  [ ! -t 2 ] || every=3
  every=${1:-$every}
  while true; do
    rc=0
    IFS= read -r -t "$every" line || rc=$?
    [ "$rc" = 0 ] || [ "$rc" -gt 128 ] || break
    case $line in Get:* | Unpacking* | Setting\ up*) shown=$line ;; esac
    [ $((SECONDS - last)) -ge "$every" ] || continue
    say "  $((SECONDS - started)) s: ${shown:-reading the lists of packages}"
    last=$SECONDS
  done
}

missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2> /dev/null | grep -q 'install ok installed' || echo "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# install_packages NAME...: names what is missing, then installs it.
install_packages() {
  local missing log system advice=()
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return
  require_debian
  say "installing Debian packages: $(echo $missing)"
  if [ "$(id -u)" != 0 ] && ! command -v sudo > /dev/null; then
    die "packages are missing, and neither are you root nor is there sudo" \
      "as root run: apt-get install --no-install-recommends $(echo $missing)"
  fi
  system=$(other_system)
  if [ -n "$system" ]; then
    say "warning: this is $system; Troupe is built and tested on Debian 12 (bookworm)"
    say "  going on, as a related system may have packages with the same names and versions"
    advice=("this is $system: run it in Debian 12 (for example a container of debian:bookworm), or install the libraries"
      "that tools/setup.sh lists in your system's way, then: cmake --preset release && cmake --build build/release")
  fi
  log=$(mktemp)
  if ! (
    set -o pipefail
    { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends $missing; } 2>&1 | tee "$log" | progress
  ); then
    tail -n 5 "$log" >&2
    die "the packages could not be installed (whole output: $log)" \
      "no network? then try again when there is one; disk full? see: df -h /var" \
      "or install them by hand: apt-get install $(echo $missing)" ${advice[@]+"${advice[@]}"}
  fi
  rm -f "$log"
}

# require_space FOLDER MEGABYTES
require_space() {
  local free
  mkdir -p "$1" || die "cannot create $1" "choose another place that you may write to"
  free=$(df -Pm "$1" | awk 'NR == 2 {print $4}')
  [ "$free" -ge "$2" ] || die "$1 has $free MB free; expected at least $2 MB" "free some space and run this again"
}

jobs() { nproc; }

# build PRESET TARGET...: configures when needed and builds; ninja shows its progress.
build() {
  local preset=$1 folder="$troupe_root/build/$1"
  shift
  require_space "$troupe_root/build" 2000
  # CMake keeps absolute paths: a tree that was moved or copied starts afresh.
  if [ -f "$folder/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$troupe_root" "$folder/CMakeCache.txt"; then
    say "build/$preset was made elsewhere; configuring it afresh"
    rm -rf "$folder"
  fi
  if [ ! -f "$folder/build.ninja" ]; then
    (cd "$troupe_root" && cmake --preset "$preset" > "$troupe_root/build/configure-$preset.log" 2>&1) || {
      tail -n 20 "$troupe_root/build/configure-$preset.log" >&2
      die "cmake could not configure the build (whole output: build/configure-$preset.log)" \
        "a package may be missing: remove build/$preset and run this again"
    }
  fi
  cmake --build "$folder" --parallel "$(jobs)" "$@" >&2 ||
    die "the build failed; the first error stands above" \
      "killed by the system? it needs about 2 GB of memory per job: CMAKE_BUILD_PARALLEL_LEVEL=1 tools/test" \
      "otherwise please report it with the output"
}
