#!/bin/sh
# Installs a wheel of scripts/cross_wheel.sh as pip does there, runs it, and holds what it prints and writes against the tools of
# this machine, to the byte: wheel.sh SYSTEM FOLDER_OF_THE_WHEEL FOLDER_OF_TOOLS. For manylinux-aarch64 under qemu by Debian's
# Python for 64-bit ARM; for windows-x86_64 in wine by python.org's python311.dll, which the wheel of a game engine in the Python
# registry brings along, with the modules of Debian's Python. Exits with 77 where it cannot be run.
set -eu

cannot() {
  echo "skipped: $*"
  exit 77
}
system=$1
folder=$(cd "$2" && pwd)
native=$(cd "$3" && pwd)
cd "$(dirname "$0")/../.."
data=$PWD/tests/data
cross=$PWD/build/cross
root=$cross/python-aarch64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
passed=0
failed=0

# expect SENTENCE COMMAND...
expect() {
  sentence=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $sentence"
  fi
}
install() {
  "$cross/wheel/bin/python" -m pip install --quiet --target "$work/site" --no-index --find-links "$folder" --no-deps \
    --only-binary :all: --python-version 3.11 --platform "$1" pteedit >&2
}
mkdir "$work/native" "$work/there"
case $system in
  manylinux-aarch64)
    command -v qemu-aarch64 >/dev/null || cannot "there is no qemu-aarch64"
    install manylinux_2_28_aarch64 # the oldest system that its tag names
    # A script of this machine for each tool: under qemu a program can start no other but through such.
    tools=$work/tools
    mkdir "$tools"
    for tool in pteinspect pteprof ptesplit ptemerge ptestrip ptecopy ptepack; do
      printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s" "$@"\n' "$root" "$work/site/pteedit/bin/$tool" >"$tools/$tool"
      chmod +x "$tools/$tool"
    done
    tool() { "$tools/$@"; }
    python() {
      env -i PATH="$PATH" PYTHONPATH="$work/site" PYTHONDONTWRITEBYTECODE=1 \
        qemu-aarch64 -L "$root" "$root/usr/bin/python3.11" "$@"
    }
    ;;
  windows-x86_64)
    for wine in wine64 /usr/lib/wine/wine64 wine none; do ! command -v "$wine" >/dev/null || break; done
    [ "$wine" != none ] || cannot "there is no wine"
    install win_amd64
    tools=$work/site/pteedit/bin
    home=$cross/python-windows
    if [ ! -e "$home.done" ]; then
      rm -rf "$home" && mkdir "$home"
      "$cross/wheel/bin/python" -m pip download --quiet --dest "$home" --no-deps --only-binary :all: --python-version 3.11 \
        --platform win_amd64 panda3d==1.10.15 >&2 || cannot "no python311.dll is to be had"
      "$cross/wheel/bin/python" -m zipfile -e "$home"/panda3d-*.whl "$home"
      cp -r "$root/usr/lib/python3.11" "$home/Lib"
      printf '%s\n' '#include <wchar.h>' '__declspec(dllimport) int Py_Main(int count, wchar_t** words);' \
        'int wmain(int count, wchar_t** words) { return Py_Main(count, words); }' >"$home/python.c"
      "$cross/python/ziglang/zig" cc -target x86_64-windows-gnu -municode "$home/python.c" \
        -L"$cross/python-headers/$system" -lpython311 -o "$home/deploy_libs/python.exe"
      touch "$home.done"
    fi
    export WINEPREFIX="$cross/wine" WINEDEBUG=-all TERM=dumb
    "$wine" cmd /c exit >"$work/log" 2>&1 || true # which fills the prefix, and says so
    tool() {
      name=$1
      shift
      "$wine" "$tools/$name.exe" "$@"
    }
    # In wine Python begins only where its streams are pipes.
    python() {
      {
        status=0
        true | PYTHONHOME="Z:$home" PYTHONPATH="Z:$work/site" PYTHONDONTWRITEBYTECODE=1 "$wine" "$home/deploy_libs/python.exe" "$@" ||
          status=$?
        echo "$status" >"$work/status"
      } 2>&1 | cat
      return "$(cat "$work/status")"
    }
    ;;
  *) exit 2 ;;
esac
expect "licences of what is linked inside" test -s "$work/site/pteedit/share/doc/pteedit/licenses/libcxx"
expect "what works where nothing else is" python tests/python/smoke.py "$tools" "$data"

cat >"$work/rewrite.py" <<'END'
import sys, pteedit
file, small, weights, joined = sys.argv[1:]
program = pteedit.open(file)
assert sum(part.size for part in program.sizes().components) == program.size
pteedit.split(program).save(small, weights)
pteedit.join(small, [weights]).save(joined)
END
for name in f02_linear f03_mlp_xnn f07/gpt_xnn f08/b_xnn_v0; do
  file=$data/$name.pte
  "$native/pteinspect" "$file" --json --verify --hash=sha256 >"$work/native/look"
  python -m pteedit inspect "$file" --json --verify --hash=sha256 >"$work/there/look" || true
  expect "$name: looks the same" cmp "$work/native/look" "$work/there/look"
  (cd "$work/native" && "$native/ptesplit" -q "$file" -o small.pte -d data.ptd &&
    "$native/ptesplit" -q small.pte --join --data data.ptd -o joined.pte)
  (cd "$work/there" && python "$work/rewrite.py" "$file" small.pte data.ptd joined.pte) || true
  for output in small.pte data.ptd joined.pte; do
    expect "$name: $output is the same" cmp "$work/native/$output" "$work/there/$output"
    rm -f "$work/native/$output" "$work/there/$output"
  done
  (cd "$work/there" && tool ptesplit -q "$file" -o small.pte -d data.ptd) || true
  (cd "$work/native" && "$native/ptesplit" -q "$file" -o small.pte -d data.ptd)
  expect "$name: the tool writes the same" diff -r "$work/native" "$work/there"
  rm "$work"/native/* "$work"/there/*
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
