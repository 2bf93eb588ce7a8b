#!/bin/sh
# Takes the pictures of the documents anew: docs/pictures/take.sh TOOLS, from the project folder. Needs chromium and pngquant.
set -eu
tools=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$PWD/tests/data" "$folder/data"
sandbox=
[ "$(id -u)" != 0 ] || sandbox=--no-sandbox

# take NAME HEIGHT TOOL OPTIONS...
take() {
  name=$1
  height=$2
  tool=$3
  shift 3
  (cd "$folder" && "$tools/$tool" --html "$name.html" "$@") || [ $? = 1 ]  # 1: there is a difference
  chromium --headless $sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 --window-size="1200,$height" \
    --screenshot="$folder/$name.png" "file://$folder/$name.html#view=$name" 2>/dev/null
  pngquant --force --output "docs/pictures/$name.png" 64 "$folder/$name.png"
}

take sizes 800 pteinspect data/f07/gpt_xnn.pte
take graph 760 pteinspect data/f07/gpt_xnn.pte
take diff 800 pteinspect --diff data/f08/a_portable_v0.pte data/f08/a_portable_base.pte
take memory 560 pteinspect data/f07/gpt_xnn.pte
gpt=data/inspector/gpt_xnnpack
take timeline 350 pteprof $gpt/etdump.etdp --etrecord $gpt/etrecord.bin
