#!/bin/sh
# Installs the wheel of scripts/cross_wheel.sh as pip does for the oldest system that its tag names, runs it under qemu by
# Debian's Python for 64-bit ARM, and holds what it prints and writes against the tools of this machine, to the byte:
#   wheel.sh FOLDER_OF_THE_WHEEL FOLDER_OF_TOOLS
# Exits with 77 where there is no qemu.
set -eu

command -v qemu-aarch64 >/dev/null || {
  echo "skipped: there is no qemu-aarch64"
  exit 77
}
folder=$(cd "$1" && pwd)
native=$(cd "$2" && pwd)
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
on_arm() { env -i PATH="$PATH" PYTHONPATH="$work/site" PYTHONDONTWRITEBYTECODE=1 qemu-aarch64 -L "$root" "$@"; }
python() { on_arm "$root/usr/bin/python3.11" "$@"; }

"$cross/wheel/bin/python" -m pip install --quiet --target "$work/site" --no-index --find-links "$folder" --no-deps \
  --only-binary :all: --python-version 3.11 --platform manylinux_2_28_aarch64 pteedit >&2
# A script of this machine for each tool: under qemu a program can start no other but through such.
mkdir "$work/tools" "$work/native" "$work/arm"
for tool in pteinspect pteprof ptesplit ptemerge ptestrip ptecopy ptepack; do
  printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s" "$@"\n' "$root" "$work/site/pteedit/bin/$tool" >"$work/tools/$tool"
  chmod +x "$work/tools/$tool"
done
expect "licences of what is linked inside" test -s "$work/site/pteedit/share/doc/pteedit/licenses/libcxx"
expect "what works where nothing else is" python tests/python/smoke.py "$work/tools" "$data"

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
  python -m pteedit inspect "$file" --json --verify --hash=sha256 >"$work/arm/look" || true
  expect "$name: looks the same" cmp "$work/native/look" "$work/arm/look"
  (cd "$work/native" && "$native/ptesplit" -q "$file" -o small.pte -d data.ptd &&
    "$native/ptesplit" -q small.pte --join --data data.ptd -o joined.pte)
  (cd "$work/arm" && python "$work/rewrite.py" "$file" small.pte data.ptd joined.pte) || true
  for output in small.pte data.ptd joined.pte; do
    expect "$name: $output is the same" cmp "$work/native/$output" "$work/arm/$output"
    rm -f "$work/native/$output" "$work/arm/$output"
  done
  (cd "$work/arm" && "$work/tools/ptesplit" -q "$file" -o small.pte -d data.ptd) || true
  (cd "$work/native" && "$native/ptesplit" -q "$file" -o small.pte -d data.ptd)
  expect "$name: the tool writes the same" diff -r "$work/native" "$work/arm"
  rm "$work"/native/* "$work"/arm/*
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
