#!/bin/sh
# Fuzzes with every target for a while, as many at a time as there are cores: campaign.sh [--seed N] SECONDS BUILD [TARGET...]
# BUILD is one of the preset "fuzz" with its fuzz_* built. Each target starts with its corpus and with what it found before,
# which BUILD/campaign/TARGET keeps; what ends it is kept in BUILD/campaign, and its own words stand in TARGET.log there.
# With a seed and nothing found before, the same inputs are tried in the same order, as far as the time reaches.
# Prints how many inputs each one tried, and edges of the code that they reached. Exits with 1 where a target was ended.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# fuzz SEED SECONDS BUILD TARGET: 0 is a seed of its own each time
fuzz() {
  seed=$1
  shift
  work=$2/campaign
  mkdir -p "$work/$3"
  word=ok
  "$2/fuzz/fuzz_$3" -seed="$seed" -max_total_time="$1" -timeout=60 -rss_limit_mb=4096 \
    -dict="$here/pte.dict" -print_final_stats=1 -artifact_prefix="$work/$3-" "$work/$3" "$here/corpus/$3" \
    >"$work/$3.log" 2>&1 </dev/null || word=ENDED
  tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$3.log")
  edges=$(sed -n 's/^#.* cov: \([0-9]*\) .*/\1/p' "$work/$3.log" | tail -n 1)
  printf '%-16s %9s inputs %6s edges  %s\n' "$3" "${tried:-0}" "${edges:-0}" "$word"
  [ "$word" = ok ] || grep -E '^broken promise|ERROR: |runtime error|Test unit written' "$work/$3.log" || tail -n 3 "$work/$3.log"
}

if [ "$1" = --one ]; then
  shift
  fuzz "$@"
  exit
fi

seed=0
if [ "$1" = --seed ]; then
  seed=$2
  shift 2
fi
seconds=$1
build=$(cd "$2" && pwd)
shift 2
# shellcheck disable=SC2012,SC2046 # words
[ $# -gt 0 ] || set -- $(ls "$build/fuzz" | sed -n 's/^fuzz_\([a-z_]*\)$/\1/p')
for target in "$@"; do
  if [ ! -x "$build/fuzz/fuzz_$target" ]; then
    echo "campaign.sh: no target '$target' in $build/fuzz" >&2
    exit 2
  fi
done
mkdir -p "$build/campaign"
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 "$0" --one "$seed" "$seconds" "$build" | tee "$build/campaign/summary"
tried=$(awk '$3 == "inputs" { sum += $2 } END { printf "%d", sum }' "$build/campaign/summary")
failed=$(grep -c ' ENDED$' "$build/campaign/summary" || true)
echo "$tried inputs, kept what is new in $build/campaign"
echo "$(($# - failed)) passed, $failed failed"
[ "$failed" = 0 ]
