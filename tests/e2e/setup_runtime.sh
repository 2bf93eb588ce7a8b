#!/bin/sh
# Gets the real ExecuTorch runtime into DIR and builds the runner on it: setup_runtime.sh DIR. The last line of stdout
# is the runner's path. Nothing is installed outside DIR, and nothing is fetched a second time. Exit code 77: the
# runtime cannot be had here.
set -eu

EXECUTORCH=executorch==1.5.1 # wheels carry the C++ libraries from 1.5.0 on

if [ $# -ne 1 ]; then
  echo "usage: setup_runtime.sh DIR" >&2
  exit 2
fi
source_dir=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
dir=$(cd "$1" && pwd)
python=$dir/venv/bin/python
stamp=$dir/venv/installed-$EXECUTORCH

cannot() {
  echo "setup_runtime.sh: error: $1" >&2
  exit 77
}

if [ ! -e "$stamp" ]; then
  python3 -m venv --clear "$dir/venv" >&2 || cannot "no virtual environment can be made (Debian: python3-venv)"
  # Its C++ part needs none of the packages that it depends on.
  "$python" -m pip install --quiet --no-deps "$EXECUTORCH" >&2 || cannot "$EXECUTORCH cannot be installed"
  "$python" -m pip install --quiet 'cmake>=3.28' ninja >&2 || cannot "cmake cannot be installed"
  touch "$stamp"
fi

# Importing the package would run its code, and that needs torch.
package=$("$python" -c 'from importlib.util import find_spec
print(*find_spec("executorch").submodule_search_locations)')
PATH=$dir/venv/bin:$PATH
cmake -G Ninja -S "$source_dir" -B "$dir/build" "-Dexecutorch_DIR=$package/share/cmake" >&2
cmake --build "$dir/build" >&2
echo "$dir/build/pterun"
