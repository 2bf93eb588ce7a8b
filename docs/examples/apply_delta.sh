#!/bin/bash
# Makes a release of an older one and a delta with dd, zstd, jq and sha256sum alone: what 'ptepack apply' does, for
# devices without it.
#
# usage: apply_delta.sh DELTA OLD NEW
set -euo pipefail
delta=$1 old=$2 new=$3

# part FILE OFFSET LENGTH: so many bytes of a file.
part() { dd if="$1" iflag=skip_bytes,count_bytes skip="$2" count="$3" bs=1M status=none; }

# operations FILE: one a line, first what to do and then the places.
operations() {
  jq -r --arg file "$1" '.delta.files[] | select(.file == $file) | .ops[] |
    if .copy then ["copy"] + .copy
    elif .dictionary then ["patch"] + .take + .dictionary
    elif .unpacked_bytes then ["unpack"] + .take
    else ["take"] + .take end | join(" ")' "$delta/manifest.json"
}

# is_made FILE: whether the delta says how to make it.
is_made() { jq -e --arg file "$1" 'any(.delta.files[]; .file == $file)' "$delta/manifest.json" >/dev/null; }

# make FILE: its bytes.
make() {
  operations "$1" | while read -r what file offset length old_file old_offset old_length; do
    case $what in
      copy) part "$old/$file" "$offset" "$length" ;;
      take) part "$delta/$file" "$offset" "$length" ;;
      unpack) part "$delta/$file" "$offset" "$length" | zstd -dc ;;
      patch)
        part "$old/$old_file" "$old_offset" "$old_length" >"$new/.dictionary"
        part "$delta/$file" "$offset" "$length" | zstd -dc --patch-from="$new/.dictionary"
        ;;
    esac
  done
}

# check FILE SHA256
check() { echo "$2  $1" | sha256sum --check --quiet; }

if [ "$(jq -r .release "$old/manifest.json")" != "$(jq -r .delta.from "$delta/manifest.json")" ]; then
  echo "the delta is not for this release" >&2
  exit 1
fi
jq -r '.files[] | [.file, .sha256] | join(" ")' "$delta/manifest.json" | while read -r file sha256; do
  check "$delta/$file" "$sha256"
done
mkdir -p "$new"
make manifest.json >"$new/.manifest"
check "$new/.manifest" "$(jq -r '.delta.files[] | select(.file == "manifest.json").sha256' "$delta/manifest.json")"
jq -r '.files[] | [.file, .sha256] | join(" ")' "$new/.manifest" | while read -r file sha256; do
  if [ -e "$new/$file" ] && check "$new/$file" "$sha256"; then continue; fi
  if is_made "$file"; then make "$file" >"$new/.part"; else cp "$old/$file" "$new/.part"; fi
  check "$new/.part" "$sha256"
  mv "$new/.part" "$new/$file"
done
rm -f "$new/.dictionary"
{
  jq -r '.files[] | .sha256 + "  " + .file' "$new/.manifest"
  sha256sum <"$new/.manifest" | sed 's/-$/manifest.json/'
} | sort -k 2 >"$new/SHA256SUMS"
mv "$new/.manifest" "$new/manifest.json"
