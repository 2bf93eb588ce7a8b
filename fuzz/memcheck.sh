#!/bin/sh
# Replays the corpus under valgrind, which sees uninitialized memory as no sanitizer of ours does: memcheck.sh BUILD [TARGET...]
# BUILD has replay_* and no sanitizers. Without names all targets but cost, which measures. Exits with 1 where valgrind finds an
# error or memory that nobody can free any more.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# check BUILD TARGET
check() {
  log=$1/memcheck-$2.log
  if inputs=$(valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite --log-file="$log" \
    "$1/fuzz/replay_$2" "$here/corpus/$2" 2>/dev/null); then
    printf '%-16s %s  ok\n' "$2" "$inputs"
  else
    printf '%-16s FOUND, see %s\n' "$2" "$log"
  fi
}

if [ "$1" = --one ]; then
  check "$2" "$3"
  exit
fi

build=$(cd "$1" && pwd)
shift
# shellcheck disable=SC2012,SC2046 # words
[ $# -gt 0 ] || set -- $(ls "$build/fuzz" | sed -n 's/^replay_\([a-z_]*\)$/\1/p' | grep -v -x cost)
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 "$0" --one "$build" | tee "$build/memcheck-summary"
failed=$(grep -c ' FOUND, see ' "$build/memcheck-summary" || true)
echo "$(($# - failed)) passed, $failed failed"
[ "$failed" = 0 ]
