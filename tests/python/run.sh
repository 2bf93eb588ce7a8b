#!/bin/sh
# Installs the Python package into a virtual environment below build/ and runs its tests. The last line is "N passed,
# N failed", maybe with ", N skipped". Nothing is fetched or compiled a second time. Exit code 77: what is needed cannot
# be had here.
set -eu

cd "$(dirname "$0")/../.."
dir=$PWD/build/python
python=$dir/venv/bin/python

# install STAMP PACKAGE...: once.
install() {
  stamp=$dir/venv/installed-$1
  shift
  [ ! -e "$stamp" ] || return 0
  "$python" -m pip install --quiet "$@" >&2 || {
    echo "run.sh: error: cannot be installed: $*" >&2
    exit 77
  }
  touch "$stamp"
}

if [ ! -x "$python" ]; then
  python3 -m venv --clear "$dir/venv" >&2 || {
    echo "run.sh: error: no virtual environment can be made (Debian: python3-venv)" >&2
    exit 77
  }
fi
# What pip would get by itself for every build anew, and then compile against it anew.
# shellcheck disable=SC2046 # words
install build $("$python" -c 'import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')
install tests mypy pandas

"$python" -m pip install --quiet --no-build-isolation --no-deps --force-reinstall -C "build-dir=$dir/cmake" \
  -C cmake.define.PTEEDIT_WERROR=ON . >&2
"$python" tests/python/run_tests.py
