#!/bin/sh
# Makes a wheel, tries it where nothing else is, and runs the tests of the Python package with it: run.sh [--with-torch]. With
# --with-torch the exporter is installed too, and tested against. The last line is "N passed, N failed", maybe with
# ", N skipped". Nothing is fetched or compiled a second time. Exit code 77: what is needed cannot be had here.
set -eu

cd "$(dirname "$0")/../.."
torch=torch==2.13.0
executorch=executorch==1.5.1
dir=$PWD/build/python
python=$dir/venv/bin/python

case $#,${1-} in
  0, | 1,--with-torch) ;;
  *)
    echo "usage: run.sh [--with-torch]" >&2
    exit 2
    ;;
esac

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
# Without these some tests are skipped; basedpyright has Node.js in it, for which there are not wheels everywhere.
for package in ml_dtypes safetensors pytest basedpyright fsspec aiohttp pyarrow "dask[distributed]"; do
  (install "$package" "$package") || true
done
if [ $# = 1 ]; then
  install "$torch" "$torch" # first: the exporter would bring a build with CUDA
  install "$executorch" "$executorch"
fi

# As deep below build/ as the release build, and with the same compiler: then ccache has all of it already.
rm -rf "$dir/wheel"
CXX=${CXX:-c++} "$python" -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir "$dir/wheel" \
  --config-settings "build-dir=$PWD/build/python-module" \
  --config-settings cmake.define.PTEEDIT_WERROR=ON . >&2
"$python" -m pip install --quiet --no-deps --force-reinstall "$dir"/wheel/*.whl >&2
# As users get it: what had to be compiled would fail, and nothing else is installed.
python3 -m venv --clear "$dir/bare" >&2
CC=false CXX=false "$dir/bare/bin/python" -m pip install --quiet --no-index --only-binary :all: "$dir"/wheel/*.whl >&2
"$dir/bare/bin/python" tests/python/smoke.py "$dir/bare/bin" tests/data
"$python" tests/python/run_tests.py
