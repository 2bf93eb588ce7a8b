#!/bin/sh
# The demo itself, once everything is built: demo_steps.sh BIN_DIR RUNNER. Works in a folder of its own, prints each command before
# it runs it, and stops at the first failure. RUNNER is the program on the real runtime, or empty where that cannot be had.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
PATH=$1:$PATH
runner=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$root/tests/data/f07/gpt_basic.pte" gpt.pte
cp "$root/tests/data/f08/b_xnn_base.pte" base.pte
cp "$root/tests/data/f08/b_xnn_v0.pte" lora.pte
cp "$root/tests/data/f08/b_xnn_v1.pte" lora2.pte
cp "$root/tests/data/f08/b_xnn_v2.pte" lora3.pte
cp "$root/tests/data/f10_stacktrace.pte" traced.pte

say() { printf '\n# %s\n' "$*"; }
# Prints a command as one would type it, and runs it.
run() {
  line='$'
  for word in "$@"; do
    case $word in
      *' '*) line="$line '$word'" ;;
      *) line="$line $word" ;;
    esac
  done
  printf '%s\n' "$line"
  "$@"
}
# The same for a line with a pipe.
run_line() {
  printf '$ %s\n' "$1"
  eval "$1"
}
judge() { # entry of the manifest, forms
  entry=$1
  shift
  if [ -z "$runner" ]; then
    echo "(not judged: the runtime is not here)"
    return
  fi
  "$root/tests/e2e/agree.py" --runner "$runner" --manifest "$root/tests/data/manifest.json" --entry "$entry" "$@"
}
bytes() { cat "$@" | wc -c; }
# Two programs before ptemerge and after it, with --variant-data ptd: figure PROGRAM PROGRAM FOLDER.
figure() {
  printf '
before: %6d bytes              after: %6d bytes

+-------------+                   +-------------+     +--------------+
| PTE1 %6d |                   | PTE1 %6d |---->| data1 %6d |
+-------------+                   +-------------+     +--------------+
                                         |
                                         v
                                  +--------------------+
                     ptemerge     | shared_data %6d |
                                  +--------------------+
                                         ^
                                         |
+-------------+                   +-------------+     +--------------+
| PTE2 %6d |                   | PTE2 %6d |---->| data2 %6d |
+-------------+                   +-------------+     +--------------+
' "$(bytes "$1" "$2")" "$(bytes "$3"/*)" \
    "$(bytes "$1")" "$(bytes "$3/$1")" "$(bytes "$3/${1%e}d")" "$(bytes "$3/shared.ptd")" \
    "$(bytes "$2")" "$(bytes "$3/$2")" "$(bytes "$3/${2%e}d")"
}

say "A nanoGPT-like program: what are its bytes for?"
run wc -c gpt.pte
run pteinspect --bytes -l -e 'Constant Tensors' gpt.pte

say "Its weights move into a data file, and back."
run ptesplit gpt.pte -o small.pte -d weights.ptd --min-size 1K
run pteinspect --bytes small.pte weights.ptd
run ptesplit small.pte --join --data weights.ptd -o joined.pte -q
judge f07_gpt_basic whole=gpt.pte split=small.pte,weights.ptd joined=joined.pte

say "A program with a LoRA adapter, on XNNPACK: what it shares with its base moves out, the adapter stays inside."
run wc -c base.pte lora.pte
run pteinspect --bytes -l -e 'Delegate Blobs' lora.pte
run ptesplit base.pte -o base_small.pte -d foundation.ptd -q
run ptesplit lora.pte -o lora_small.pte -d lora_foundation.ptd --match base.pte -q
run wc -c base_small.pte lora_small.pte foundation.ptd
run cmp foundation.ptd lora_foundation.ptd && echo "one foundation serves both"
run ptesplit lora_small.pte --join --data lora_foundation.ptd -o lora_joined.pte -q
judge f08b_xnn_v0 whole=lora.pte split=lora_small.pte,lora_foundation.ptd joined=lora_joined.pte

say "A family: a base and three LoRA variants of it, merged. What two or more hold is stored once."
run_line "pteinspect --duplicates base.pte lora.pte lora2.pte lora3.pte | tail -n 1"
run_line "ptemerge base.pte lora.pte lora2.pte lora3.pte -o out | sed '/^moved/,\$d'"
run pteinspect --verify out/base.pte out/lora.pte out/lora2.pte out/lora3.pte --data out/shared.ptd
for name in base:base lora:v0 lora2:v1 lora3:v2; do
  judge "f08b_xnn_${name#*:}" "${name%:*}.pte=${name%:*}.pte" "out/${name%:*}.pte=out/${name%:*}.pte,out/shared.ptd"
done
run ptesplit out/lora.pte --join --data out/shared.ptd -o whole.pte -q
run pteinspect --same lora.pte whole.pte

say "Two variants, what only one has in a data file of its own. The figure is in bytes; an arrow is 'needs'."
run ptemerge lora.pte lora2.pte -o pair --variant-data ptd -q
run pteinspect --verify pair/lora.pte --data pair/shared.ptd --data pair/lora.ptd
judge f08b_xnn_v0 lora.pte=lora.pte pair/lora.pte=pair/lora.pte,pair/shared.ptd,pair/lora.ptd
judge f08b_xnn_v1 lora2.pte=lora2.pte pair/lora2.pte=pair/lora2.pte,pair/shared.ptd,pair/lora2.ptd
figure lora.pte lora2.pte pair

say "Phones have three of them. The fourth comes later: it refers to what is there, which stays as it is, and brings its adapter."
run ptemerge base.pte lora.pte lora2.pte -o fleet -q
run_line "ptemerge lora3.pte --against fleet/shared.ptd -o new | sed '/^needs/,\$d'"
judge f08b_xnn_v2 lora3.pte=lora3.pte new/lora3.pte=new/lora3.pte,fleet/shared.ptd

say "Both as releases. A phone that has the first gets the second from what changed."
run ptepack create fleet -o release1 -q
run cp new/lora3.pte fleet
run ptepack create fleet -o release2 -q
run ptepack delta release1 release2 -o delta
run ptepack apply delta --from release1 -o phone
run diff -r release2 phone && echo "the phone has the release, byte for byte"
program=program-$(sha256sum new/lora3.pte | cut -c1-12).pte
judge f08b_xnn_v2 lora3.pte=lora3.pte "phone/$program=phone/$program,$(echo phone/shared-*.ptd)"

say "A program with stack traces, which name the source files of the machine that exported: they go."
run ptestrip traced.pte -o stripped.pte
run_line "grep -ac '\.py' traced.pte stripped.pte"
run pteinspect --verify stripped.pte
judge f10_stacktrace traced=traced.pte stripped=stripped.pte
