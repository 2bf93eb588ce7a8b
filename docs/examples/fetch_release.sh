#!/bin/bash
# Brings a release, or a delta, from a server that can do nothing but files and ranges into a folder: with curl, jq,
# sha256sum, zstd, and openssl or minisign alone.
#
# usage: fetch_release.sh URL DIR KEY [OTHER...]
#
# KEY is the public key that SHA256SUMS is signed with: of openssl (.pem, SHA256SUMS.sig) or minisign (.pub,
# SHA256SUMS.minisig). OTHER are folders with files that need not be fetched. Files that are there and right stay, a
# download that was cut goes on, and the manifest comes last: until then DIR is what it was.
set -euo pipefail
url=$1 dir=$2 key=$3
shift 3
next=$dir/.next # what is on its way

get() { curl --fail --silent --show-error --location "$@"; }
is_right() { [ -e "$1" ] && echo "$2  $1" | sha256sum --check --status; }
refuse() {
  echo "fetch_release.sh: $1" >&2
  exit 1
}

# download FILE SHA256: into $next.
download() {
  is_right "$next/$1" "$2" && return
  get --continue-at - --output "$next/$1" "$url/$1" || refuse "$url/$1 cannot be had"
  is_right "$next/$1" "$2" && return
  rm "$next/$1"
  refuse "$url/$1 is not what the release says; nothing was replaced"
}

# place FILE SHA256 COMPRESSED SHA256: into $dir.
place() {
  is_right "$dir/$1" "$2" && return
  for other in "${others[@]}"; do
    is_right "$other/$1" "$2" && ln -f "$other/$1" "$dir/$1" && return
  done
  if [ "$3" = - ]; then
    download "$1" "$2"
  else
    download "$3" "$4"
    zstd --decompress --quiet --force -o "$next/$1" "$next/$3"
    is_right "$next/$1" "$2" || refuse "$url/$3 unpacks to another file"
    rm "$next/$3"
  fi
  mv "$next/$1" "$dir/$1"
}

others=("$@")
mkdir -p "$next"
case $key in *.pub) signature=SHA256SUMS.minisig ;; *) signature=SHA256SUMS.sig ;; esac
for list in manifest.json SHA256SUMS "$signature"; do get --output "$next/$list" "$url/$list"; done
case $key in
  *.pub) minisign -V -q -p "$key" -m "$next/SHA256SUMS" ;;
  *) openssl pkeyutl -verify -rawin -pubin -inkey "$key" -in "$next/SHA256SUMS" -sigfile "$next/$signature" >/dev/null ;;
esac || refuse "$url is not signed with $key"
(cd "$next" && grep '  manifest.json$' SHA256SUMS | sha256sum --check --status) || refuse "$url/manifest.json is another than was signed"
jq -r '.files[] | [.file, .sha256, .compressed.file // "-", .compressed.sha256 // "-"] | join(" ")' "$next/manifest.json" |
  while read -r file sha256 compressed compressed_sha256; do
    place "$file" "$sha256" "$compressed" "$compressed_sha256"
  done
mv "$next/SHA256SUMS" "$dir/SHA256SUMS"
mv "$next/manifest.json" "$dir/manifest.json"
rm -rf "$next"
