#!/bin/sh
# Runs every test there is: ./test.sh [--with-torch] [--with-packages]; with --with-torch also those that need torch and
# the exporter, with --with-packages the Debian packages and the static tools, each in a Debian of its own, the tools for
# Windows and macOS, and the wheels for other systems.
# Installs what is missing first (Debian packages; the ExecuTorch runtime and other Python packages from the Python
# registry, into build/) and says so. The last line is `N passed, N failed`; the exit code is 1 where something failed.
# With CI=true it is a failure if the runtime cannot be had.
set -eu
cd "$(dirname "$0")"
. scripts/setup.sh
. scripts/counts.sh

torch=
packages=
for word in "$@"; do
  case $word in
    --with-torch) torch=$word ;;
    --with-packages) packages=$word ;;
    *)
      echo "usage: test.sh [--with-torch] [--with-packages]" >&2
      exit 2
      ;;
  esac
done

on_arm='^f0[13]|^f08b' # what of the end-to-end tests: under qemu each takes several times as long

# shellcheck disable=SC2086 # words
install_packages $BUILD_PACKAGES $RUNTIME_PACKAGES $TEST_PACKAGES
install_cross_packages
mkdir -p build

say "the real runtime, which judges the end-to-end tests"
runner=
status=0
tests/e2e/setup_runtime.sh build/runtime >build/setup-runtime.log 2>build/setup-runtime.errors || status=$?
[ "$status" = 0 ] || tail -n 3 build/setup-runtime.errors
if [ "$status" = 0 ]; then
  runner=$(tail -n 1 build/setup-runtime.log)
  # Its schemas are what schema.drift compares ours with. Importing the package would run its code.
  PTEEDIT_EXECUTORCH_DIR=$(build/runtime/venv/bin/python -c 'from importlib.util import find_spec
print(*find_spec("executorch").submodule_search_locations)')
  export PTEEDIT_EXECUTORCH_DIR
elif [ "$status" = 77 ] && [ "${CI-}" != true ]; then
  count "end to end" 0 0 "skipped: the runtime cannot be had"
else
  count "end to end" 0 1 "the runtime cannot be had"
fi

say "clang-tidy 16, in what the parts that follow leave of the machine; also there the tools for Windows and macOS"
mkdir -p build
nice -n 19 scripts/tidy.sh >build/tidy-beside.log &
tidy=$!
others=
if [ -z "$packages" ]; then # which makes and runs them
  nice -n 19 tests/install/other_systems.sh --unoptimized >build/others-beside.log 2>&1 &
  others=$!
fi
trap 'trap - INT; kill 0' INT # what runs beside would not end
# end_beside PROCESS LOG: as if it had run just now.
end_beside() {
  ended=0
  wait "$1" || ended=$?
  cat "$2"
  return "$ended"
}

say "release build and its tests"
if build_preset release -DPTEEDIT_TESTS=ON -DPTEEDIT_WERROR=ON -DPTEEDIT_TEST_PYTHON="$python"; then
  run_tests "release" release
  if [ -n "$runner" ]; then
    say "end to end"
    run_counted "end to end" "$python" tests/e2e/run_e2e.py --runner "$runner" --bin build/release/tools --data tests/data
    run_counted "sequences" "$python" tests/e2e/sequences.py --runner "$runner" --bin build/release/tools --data tests/data
    say "verification and the runtime on damaged files"
    run_counted "damaged files" "$python" tests/e2e/damage.py --runner "$runner" --bin build/release/tools --data tests/data
    run_counted "conformance" "$python" tests/e2e/conformance.py --runner "$runner"
    run_counted "damaged graphs" "$python" tests/e2e/graph_damage.py --runner "$runner" --bin build/release/tools \
      --data tests/data
    if "$python" tests/check.py tests/docs/check_readme.py --runner "$runner"; then
      count "README and demo" 1 0
    else
      count "README and demo" 0 1
    fi
  fi
else
  count "release" 0 1 "does not build"
fi

say "the real runtime for 64-bit ARM, under qemu"
status=0
tests/e2e/setup_runtime.sh build/runtime-aarch64 aarch64 >build/setup-runtime.log 2>build/setup-runtime.errors || status=$?
[ "$status" = 0 ] || tail -n 3 build/setup-runtime.errors
if [ "$status" = 77 ]; then
  count "end to end on ARM" 0 0 "skipped: the runtime cannot be had"
elif [ "$status" != 0 ]; then
  count "end to end on ARM" 0 1 "the runner does not build"
else
  arm_runner=$(tail -n 1 build/setup-runtime.log)
  run_counted "end to end on ARM" "$python" tests/e2e/run_e2e.py --runner "$arm_runner" --bin build/release/tools \
    --data tests/data --only "$on_arm"
  if "$python" tests/check.py tests/c/check_device.py cc build/release/c/libpteedit_c.so --runner "$arm_runner"; then
    count "updates on ARM" 1 0
  else
    count "updates on ARM" 0 1
  fi
fi

say "the Python package"
# shellcheck disable=SC2086 # nothing or one word
run_counted "Python package" tests/python/run.sh $torch

if [ -n "$runner" ] && [ -x build/release/tools/pteprof ]; then
  say "profiles that the real runtime writes"
  inspector=
  [ -z "$torch" ] || inspector="--inspector build/python/venv/bin/python"
  # shellcheck disable=SC2086 # nothing or two words
  run_counted "profiles" "$python" tests/e2e/profiles.py --runner "$runner" --bin build/release/tools --data tests/data \
    $inspector
fi

if [ -n "$torch" ] && [ -x build/release/tools/pteprof ]; then
  say "pairs of programs, records and dumps that are exported anew"
  if build/python/venv/bin/python tests/models/make_branches.py --layers 12 --out build/branches >build/exports.log 2>&1 &&
    "$python" tests/check.py tests/cli/check_exports.py --exports build/branches &&
    build/python/venv/bin/python tests/models/generate.py --checkpoints --out build/models >>build/exports.log 2>&1 &&
    "$python" tests/check.py tests/cli/check_exported_names.py --models build/models; then
    count "fresh exports" 1 0
  else
    count "fresh exports" 0 1
  fi
fi

if [ -n "$torch" ] && [ -n "$runner" ] && [ -x build/release/tools/pteinspect ]; then
  say "the runtimes of all releases, and what pteinspect says that they lack"
  run_counted "releases" "$python" tests/e2e/release_matrix.py --wheels build/release/wheels --bin build/release/tools \
    --data tests/data --runner "$runner"
  say "the types that their kernels take"
  run_counted "types of kernels" "$python" tests/e2e/type_matrix.py --wheels build/release/wheels
fi

if [ -n "$packages" ]; then
  say "packages, and what other systems run"
  run_counted "packages" tests/install/all.sh
fi

say "the page for browsers, in one; building it has another library and 32-bit sizes, and so finds what no other build does"
if ! install_packages $WEB_PACKAGES; then
  count "page for browsers" 0 0 "skipped: not to be had: $WEB_PACKAGES"
elif build_preset web && "$python" tests/check.py tests/cli/check_site.py; then
  count "page for browsers" 1 0
else
  count "page for browsers" 0 1
fi

say "clang 16 with sanitizers: the tests of the code itself"
if build_preset fuzz -DPTEEDIT_TEST_PYTHON="$python"; then
  # Of the generated programs the first quarter. Left to the release build, in a tenth of the time: a family of 21, and what asks the same
  # of every file, pair of options or library, or looks at a page; golden sessions have each of these views. What other seeds found is about
  # contents.
  export RC_PARAMS="seed=20240601 max_success=500 noshrink=1"
  run_tests "clang and sanitizers" fuzz -R '^(unit|property|cli)\.' \
    -E 'DataFamilies.*"f08"|^cli\.(advice|graph_forms|names|operator_listing|option_pairs|page|targets)|^property\.found'
  say "the fuzz corpus, and fuzzing from it, half a minute a target; longer, and without a seed, it is a campaign of its own"
  run_counted "fuzzing" fuzz/campaign.sh --seed 1 30 build/fuzz
else
  count "clang and sanitizers" 0 1 "does not build"
fi

run_counted "clang-tidy" end_beside "$tidy" build/tidy-beside.log
[ -z "$others" ] || run_counted "Windows and macOS" end_beside "$others" build/others-beside.log

show_counts
