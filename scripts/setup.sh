# shellcheck shell=sh
# Sourced by test.sh and demo.sh, with the project folder as the current one. Brings a machine that has nothing but the base
# system of Debian 12 to where the project builds. Quick where everything is there already.

# What building needs; on top of it, what the real runtime needs, and what the tests need.
# shellcheck disable=SC2034 # for those who source this
BUILD_PACKAGES="cmake g++ ninja-build pkg-config
  flatbuffers-compiler libflatbuffers-dev libcli11-dev libssl-dev libxxhash-dev libzstd-dev nlohmann-json3-dev
  zlib1g-dev"
# shellcheck disable=SC2034
RUNTIME_PACKAGES="ca-certificates python3 python3-dev python3-venv"
# shellcheck disable=SC2034
TEST_PACKAGES="btrfs-progs ccache chromium clang-16 clang-tidy-16 curl fish git groff-base jq libclang-rt-16-dev
  libcurl4-openssl-dev libgtest-dev librapidcheck-dev lld-16 minisign nginx-light python3-jsonschema python3-yaml strace time xfsprogs xxhash zsh zstd"
# What Debian packages are made and tried with.
# shellcheck disable=SC2034
PACKAGE_PACKAGES="debootstrap dpkg-dev lintian wine64"
# What makes the page for browsers.
# shellcheck disable=SC2034
WEB_PACKAGES="emscripten"
# And what builds for phones: a cross compiler, an emulator, libraries of the other architecture.
CROSS_ARCHITECTURE=arm64
# shellcheck disable=SC2034
CROSS_PACKAGES="g++-aarch64-linux-gnu qemu-user libcurl4-openssl-dev:$CROSS_ARCHITECTURE
  libssl-dev:$CROSS_ARCHITECTURE libxxhash-dev:$CROSS_ARCHITECTURE libzstd-dev:$CROSS_ARCHITECTURE zlib1g-dev:$CROSS_ARCHITECTURE"

say() { printf '== %s\n' "$*"; }

# Prints those of the named packages that are not installed. One that is there for another architecture is not.
missing_packages() {
  native=$(dpkg --print-architecture)
  for package in "$@"; do
    architecture=$native
    [ "$package" = "${package#*:}" ] || architecture=${package#*:}
    # shellcheck disable=SC2016 # dpkg-query's own syntax
    dpkg-query -W -f '${Architecture} ${db:Status-Status}\n' "$package" 2>/dev/null |
      grep -q -x -E "($architecture|all) installed" || printf '%s ' "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Installs what is missing of the named packages, and says so first.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system, so these must be there already: $*"
    return 0
  fi
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  say "installing Debian packages: $missing"
  as_root apt-get update -qq
  # shellcheck disable=SC2086 # words
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null
}

# The same for CROSS_PACKAGES; where they cannot be had, the tests that need them are skipped.
install_cross_packages() {
  command -v dpkg >/dev/null || return 0
  # shellcheck disable=SC2086 # words
  [ -n "$(missing_packages $CROSS_PACKAGES)" ] || return 0
  as_root dpkg --add-architecture "$CROSS_ARCHITECTURE"
  # shellcheck disable=SC2086
  if ! install_packages $CROSS_PACKAGES; then
    say "not to be had: $CROSS_PACKAGES"
    as_root dpkg --remove-architecture "$CROSS_ARCHITECTURE" || true # or every later apt-get update would ask for it
  fi
}

# Configures a preset and builds it; further arguments go to the configuration.
build_preset() {
  preset=$1
  shift
  mkdir -p build
  log=build/configure-$preset.log
  cmake --preset "$preset" "$@" >"$log" 2>&1 || { cat "$log"; return 1; }
  cmake --build --preset "$preset"
}
