#!/bin/sh
# Gets the real ExecuTorch runtime into DIR and builds the runner on it: setup_runtime.sh DIR [aarch64]. The last line of
# stdout is the runner's path; that for 64-bit ARM runs under qemu. Nothing is installed outside DIR, and nothing is
# fetched a second time. Exit code 77: the runtime cannot be had here.
set -eu

EXECUTORCH=executorch==1.5.1 # wheels carry the C++ libraries from 1.5.0 on

case $#,${2-} in
  1, | 2,aarch64) ;;
  *)
    echo "usage: setup_runtime.sh DIR [aarch64]" >&2
    exit 2
    ;;
esac
source_dir=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
dir=$(cd "$1" && pwd)
python=$dir/venv/bin/python

cannot() {
  echo "setup_runtime.sh: error: $1" >&2
  exit 77
}

# once STAMP COMMAND...: says what cannot be done.
once() {
  stamp=$dir/venv/$1
  shift
  [ ! -e "$stamp" ] || return 0
  "$@" >&2 || cannot "failed: $*"
  touch "$stamp"
}

# Of the wheel only the C++ part is used, which needs none of the packages that it depends on. A machine of another kind
# gets it without pip, which would not install it.
get_package() {
  if [ -z "$1" ]; then
    "$python" -m pip install --quiet --no-deps "$EXECUTORCH"
  else
    "$python" -m pip download --quiet --no-deps --only-binary=:all: --platform "manylinux_2_28_$1" -d "$dir" "$EXECUTORCH" &&
      "$python" -m zipfile -e "$dir"/executorch-*"_$1.whl" "$dir/package"
  fi
}

if [ "${2-}" = aarch64 ] && ! { command -v qemu-aarch64 && command -v aarch64-linux-gnu-g++; } >/dev/null; then
  cannot "there is no qemu-aarch64 or no aarch64-linux-gnu-g++"
fi
[ -x "$python" ] || python3 -m venv --clear "$dir/venv" >&2 || cannot "no virtual environment can be made (Debian: python3-venv)"
once "installed-$EXECUTORCH" get_package "${2-}"
once installed-cmake "$python" -m pip install --quiet 'cmake>=3.28' ninja

# Importing the package would run its code, and that needs torch.
package=$dir/package/executorch
[ -n "${2-}" ] || package=$("$python" -c 'from importlib.util import find_spec
print(*find_spec("executorch").submodule_search_locations)')
PATH=$dir/venv/bin:$PATH
toolchain=
[ -z "${2-}" ] || toolchain=--toolchain=$source_dir/../../cmake/aarch64-linux-gnu.cmake
# shellcheck disable=SC2086 # nothing or one word
cmake -G Ninja -S "$source_dir" -B "$dir/build" "-Dexecutorch_DIR=$package/share/cmake" $toolchain >&2
cmake --build "$dir/build" >&2
runner=$dir/build/pterun
if [ -n "${2-}" ]; then
  printf '#!/bin/sh\nexec qemu-aarch64 -E LD_LIBRARY_PATH=/usr/aarch64-linux-gnu/lib "%s" "$@"\n' "$runner" >"$dir/pterun"
  chmod +x "$dir/pterun"
  runner=$dir/pterun
fi
echo "$runner"
