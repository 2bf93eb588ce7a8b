#!/bin/sh
# Runs clang-tidy 16, with the checks of .clang-tidy, over the library and the tools, a room at a time: so most headers are read once. The
# last line is `N passed, N failed`, of what was read at once. For one file: clang-tidy-16 -p build/debug FILE.
set -eu
cd "$(dirname "$0")/.."
cmake --preset tidy >build/configure-tidy.log 2>&1 || { cat build/configure-tidy.log >&2; exit 1; }
cmake --build build/tidy --target pteedit_schema_headers >/dev/null
mkdir -p build/tidy/said
rm -f build/tidy/said/*
unit=$PWD/scripts/tidy_unit.sh
# What was read before with the same checks is known. NOLINT is a comment.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1 CCACHE_COMPILERTYPE=clang CCACHE_COMMENTS=1 CCACHE_EXTRAFILES="$PWD/.clang-tidy:$unit"
CCACHE_COMPILERCHECK="string:$(clang-tidy-16 --version)"
export CCACHE_COMPILERCHECK
! command -v ccache >/dev/null || unit="ccache $unit"
cd build/tidy
# shellcheck disable=SC2016 # for the inner shell
jq -r '.[].command | sub("^[^ ]+ "; "") | sub(" -o [^ ]+"; "")' compile_commands.json | xargs -P "$(nproc)" -d '\n' -I '{}' sh -c '
  said=said/$(echo "${2##* }" | tr / _)
  $1 $2 -o "$said.good" >"$said.bad" 2>&1 && rm "$said.bad"' sh "$unit" '{}' || true
cat said/*.bad 2>/dev/null || true
bad=$(find said -name '*.bad' | wc -l)
good=$(find said -name '*.good' | wc -l)
echo "$good passed, $bad failed"
[ "$good" != 0 ] && [ "$bad" = 0 ]
