# shellcheck shell=sh
# Sourced by what runs several parts of the tests, with the project folder as the current one: counts what passed and what
# failed, and how long each part took.

python=/usr/bin/python3 # that which runs tests: the one that Debian's modules are for
[ -x "$python" ] || python=$(command -v python3)

passed=0
failed=0
summary=
newline='
'
before=$(date +%s)

# count PART PASSED FAILED [NOTE]: also how long it took since the part before, what it builds among it.
count() {
  passed=$((passed + $2))
  failed=$((failed + $3))
  now=$(date +%s)
  summary="$summary$(printf '%-24s %5s passed %5s failed %5s s  %s' "$1" "$2" "$3" $((now - before)) "${4-}")$newline"
  before=$now
}

# run_tests PART PRESET [ARGUMENTS OF CTEST]: shows what did not pass and counts the rest.
run_tests() {
  part=$1
  preset=$2
  shift 2
  log=build/ctest-$preset.log
  ctest --preset "$preset" -j "$(nproc)" "$@" >"$log" 2>&1 || true
  grep -v -E '^ *Start |   Passed +[0-9.]+ sec$' "$log" || true
  # "97% tests passed, 3 tests failed out of 111"; newer ones leave out "0 tests failed". Skipped ones are among the passed.
  counts=$(sed -n -E -e 's/^100% tests passed out of ([0-9]+)$/0 \1/p' \
    -e 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$log")
  if [ -z "$counts" ]; then
    count "$part" 0 1 "ctest found no tests"
    return
  fi
  bad=${counts% *}
  skipped=$(grep -c -E '\*\*\*Skipped' "$log" || true)
  note=
  [ "$skipped" = 0 ] || note="$skipped skipped"
  count "$part" $((${counts#* } - bad - skipped)) "$bad" "$note"
}

# run_counted PART COMMAND...: its last line is "N passed, N failed", and it fails where something did, or nothing ran.
run_counted() {
  part=$1
  shift
  log=build/$(echo "$part" | tr ' ' '-').log
  status=0
  "$@" >"$log" || status=$?
  cat "$log"
  counts=$(sed -n -E 's/^([0-9]+) passed, ([0-9]+) failed.*$/\1 \2/p' "$log" | tail -n 1)
  if [ "$status" = 77 ]; then
    count "$part" 0 0 "$(tail -n 1 "$log")"
  elif [ -z "$counts" ] || { [ "$status" != 0 ] && [ "${counts#* }" = 0 ]; }; then
    count "$part" 0 1 "stopped with exit code $status"
  else
    count "$part" "${counts% *}" "${counts#* }"
  fi
}

# The table of all parts, and the last line `N passed, N failed`; fails where something did.
show_counts() {
  printf '\n%s%s passed, %s failed\n' "$summary" "$passed" "$failed"
  [ "$failed" = 0 ]
}
