#!/bin/sh
# Makes the tools for Windows and macOS, reads those for macOS, and runs those for Windows in wine beside the release build, which
# has to be there: other_systems.sh [--unoptimized]. Unoptimized they take half of the time, need no other build, and are not
# run: that tells what does not build there. The last line is `N passed, N failed`.
set -eu
cd "$(dirname "$0")/../.."
. scripts/setup.sh
. scripts/counts.sh

case $* in
  '') flags= ;;
  --unoptimized) flags="-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG" ;;
  *)
    echo "usage: other_systems.sh [--unoptimized]" >&2
    exit 2
    ;;
esac

# make PRESET: its archive.
make() {
  build_preset "$1" ${flags:+"$flags"} >"build/$1.log" 2>&1 && cpack --preset "$1" >>"build/$1.log" 2>&1
}

for preset in windows-x86_64 macos-aarch64; do
  say "$preset tools"
  if ! scripts/cross_libraries.sh $preset; then
    count "$preset tools" 0 0 "skipped: the cross compiler or its libraries cannot be had"
  elif ! make $preset; then
    tail -n 20 "build/$preset.log"
    count "$preset tools" 0 1 "cannot be made"
  elif [ $preset = macos-aarch64 ]; then
    run_counted "$preset tools" "$python" tests/install/macos.py build/$preset/pteedit-*.tar.gz
  elif [ -n "$flags" ]; then
    count "$preset tools" 1 0 "made, not run"
  else
    run_counted "$preset tools" tests/install/windows.sh build/$preset/pteedit-*.zip build/release/tools
  fi
done

show_counts
