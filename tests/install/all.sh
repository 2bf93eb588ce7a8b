#!/bin/sh
# Makes each package that there is and tries it where nothing else is: the Debian packages and the static tools, each in a
# Debian of its own, the tools for Windows and macOS, and the wheels for other systems. Installs what that takes first. The
# last line is `N passed, N failed`; the exit code is 1 where something failed.
set -eu
cd "$(dirname "$0")/../.."
. scripts/setup.sh
. scripts/counts.sh

# shellcheck disable=SC2086 # words
install_packages $BUILD_PACKAGES $TEST_PACKAGES $PACKAGE_PACKAGES
install_cross_packages

say "the release build, which other systems' tools are compared with"
build_preset release -DPTEEDIT_TESTS=ON -DPTEEDIT_WERROR=ON -DPTEEDIT_TEST_PYTHON="$python"
before=$(date +%s)

say "Debian packages, where nothing else is"
if cmake --workflow --preset deb >build/deb.log 2>&1 && lintian --allow-root --fail-on error build/deb/*.deb; then
  run_counted "Debian packages" tests/install/packages.sh deb build/deb
else
  count "Debian packages" 0 1 "cannot be made"
fi
for preset in static static-aarch64; do
  say "$preset tools, in the Debian before this one or under qemu"
  if [ "$preset" != static ] && ! command -v aarch64-linux-gnu-g++ >/dev/null; then
    count "$preset tools" 0 0 "skipped: the cross compiler cannot be had"
  elif cmake --workflow --preset $preset >build/$preset.log 2>&1; then
    run_counted "$preset tools" tests/install/packages.sh static build/$preset/pteedit-*.tar.gz
  else
    count "$preset tools" 0 1 "cannot be made"
  fi
done
say "what other systems do, on Linux"
if build_preset plain -DPTEEDIT_TESTS=ON -DPTEEDIT_WERROR=ON -DPTEEDIT_TEST_PYTHON="$python"; then
  run_tests "plain calls" plain -R '^(unit\.|cli\.(golden|faults|disks|delta|release))'
else
  count "plain calls" 0 1 "does not build"
fi
say "the tools for Windows and macOS, run in wine or read as macOS reads them"
run_counted "Windows and macOS" tests/install/other_systems.sh
for system in manylinux-aarch64 windows-x86_64 macos-aarch64; do
  say "the wheel for $system, under qemu, in wine or read as macOS reads it"
  part="wheel for ${system%-*}"
  status=0
  rm -rf build/wheels-$system
  scripts/cross_wheel.sh $system build/wheels-$system || status=$?
  if [ "$status" = 77 ]; then
    count "$part" 0 0 "skipped: what makes it cannot be had"
  elif [ "$status" != 0 ]; then
    count "$part" 0 1 "cannot be made"
  elif [ $system = macos-aarch64 ]; then
    run_counted "$part" "$python" tests/install/macos.py build/wheels-$system/*.whl
  else
    run_counted "$part" tests/install/wheel.sh $system build/wheels-$system build/release/tools
  fi
done

show_counts
