#!/bin/sh
# Runs clang-tidy 16, with the checks of .clang-tidy, over the library and the tools, a room at a time: so most headers are read once. The
# last line is `N passed, N failed`, of what was read at once. For one file: clang-tidy-16 -p build/debug FILE.
set -eu
cd "$(dirname "$0")/.."
cmake --preset tidy >build/configure-tidy.log 2>&1 || { cat build/configure-tidy.log >&2; exit 1; }
cmake --build build/tidy --target pteedit_schema_headers >/dev/null
mkdir -p build/tidy/said
rm -f build/tidy/said/*
# shellcheck disable=SC2016 # for the inner shell
jq -r '.[].file' build/tidy/compile_commands.json | xargs -P "$(nproc)" -I '{}' sh -c '
  said=build/tidy/said/$(echo "$1" | tr / _)
  clang-tidy-16 -p build/tidy --quiet "$1" >"$said.bad" 2>&1 && mv "$said.bad" "$said.good"' sh '{}' || true
cat build/tidy/said/*.bad 2>/dev/null || true
bad=$(find build/tidy/said -name '*.bad' | wc -l)
good=$(find build/tidy/said -name '*.good' | wc -l)
echo "$good passed, $bad failed"
[ "$good" != 0 ] && [ "$bad" = 0 ]
