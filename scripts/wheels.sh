#!/bin/sh
# Makes an sdist and a wheel for each interpreter, tries each in a fresh virtual environment without a compiler, and says
# how large they are and how long they took: wheels.sh FOLDER [PYTHON...], by default python3.9 to python3.13, those that are
# there. The library is compiled once, where ccache is installed. Exit code 77: there is no interpreter, or no network.
set -eu

usage="usage: wheels.sh FOLDER [PYTHON...]"
[ $# -gt 0 ] || {
  echo "$usage" >&2
  exit 2
}
cd "$(dirname "$0")/.."
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
if [ $# = 0 ]; then
  for version in 3.9 3.10 3.11 3.12 3.13; do
    for python in "python$version" "$HOME/.pyenv/versions/$version".*/bin/python; do
      "$python" -c 'import venv, ensurepip' 2>/dev/null || continue
      set -- "$@" "$python"
      break
    done
  done
fi
[ $# -gt 0 ] || {
  echo "wheels.sh: error: there is no Python 3.9 to 3.13" >&2
  exit 77
}
# Always the same, as deep as the release build, and with the same compiler: then ccache has the library already.
build=$PWD/build/wheel-module
export CXX="${CXX:-c++}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM

# fresh PYTHON PACKAGE...: a virtual environment with these and nothing else.
fresh() {
  rm -rf "$scratch/venv"
  "$1" -m venv "$scratch/venv"
  shift
  [ $# = 0 ] || "$scratch/venv/bin/python" -m pip install --quiet "$@"
}

fresh "$1" build || {
  echo "wheels.sh: error: the package 'build' cannot be had" >&2
  exit 77
}
"$scratch/venv/bin/python" -m build --sdist --outdir "$folder" . >"$scratch/log" 2>&1 || {
  cat "$scratch/log" >&2
  exit 1
}
for sdist in "$folder"/pteedit-*.tar.gz; do echo "$(basename "$sdist"): $(wc -c <"$sdist") bytes"; done

for python in "$@"; do
  began=$(date +%s)
  rm -rf "$scratch/wheel"
  rm -rf "$build"
  fresh "$python"
  "$scratch/venv/bin/python" -m pip wheel --quiet --no-deps --wheel-dir "$scratch/wheel" \
    --config-settings "build-dir=$build" --config-settings cmake.define.PTEEDIT_WERROR=ON . >&2
  built=$(($(date +%s) - began))
  for wheel in "$scratch"/wheel/*.whl; do :; done # there is one
  fresh "$python"
  # What had to be compiled would fail.
  CC=false CXX=false "$scratch/venv/bin/python" -m pip install --quiet --no-index --only-binary :all: "$wheel"
  "$scratch/venv/bin/python" tests/python/smoke.py "$scratch/venv/bin" tests/data
  mv "$wheel" "$folder"
  wheel=$folder/$(basename "$wheel")
  echo "$(basename "$wheel"): $(wc -c <"$wheel") bytes, $built s"
done
rm -rf "$build"
