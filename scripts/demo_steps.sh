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
judge() { # entry of the manifest, forms
  entry=$1
  shift
  if [ -z "$runner" ]; then
    echo "(not judged: the runtime is not here)"
    return
  fi
  "$root/tests/e2e/agree.py" --runner "$runner" --manifest "$root/tests/data/manifest.json" --entry "$entry" "$@"
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
