#!/bin/sh
# Tries packages where nothing else is, in a Debian that debootstrap makes:
#   packages.sh deb FOLDER [ROOT]       installs, runs and purges the Debian packages of a folder
#   packages.sh static ARCHIVE [ROOT]   unpacks and runs the static tools, in the Debian before this one; those for another
#                                       processor under qemu, where no root is needed
# ROOT is a folder for that Debian, to be used again. Exits with 77 where there is no debootstrap, root or network.
set -eu

cannot() {
  echo "skipped: $*"
  exit 77
}
kind=$1
packages=$2
data=$(cd "$(dirname "$0")/../data" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# From model.pte and back, in folder $1.
try() {
  for tool in pteinspect pteprof ptesplit ptemerge ptestrip ptecopy ptepack; do inside "$tool" --version; done
  inside pteinspect --hash=sha256 "$1/model.pte"
  inside ptesplit -q "$1/model.pte" -o "$1/small.pte" -d "$1/weights.ptd"
  inside pteinspect --same "$1/model.pte" "$1/small.pte" --data "$1/weights.ptd"
  inside ptepack create -q "$1/model.pte" -o "$1/release" --compress
  inside ptepack verify "$1/release"
}

# Unpacked in folder $1.
expect_documents() {
  for file in man/man1/pteinspect.1 bash-completion/completions/pteinspect doc/pteedit/LICENSE doc/pteedit/licenses/libssl-dev; do
    test -s "$1/share/$file" || { echo "the archive has no share/$file"; exit 1; }
  done
}

processor=${packages##*-}
processor=${processor%.tar.gz}
if [ "$kind" = static ] && [ "$processor" != "$(uname -m)" ]; then
  command -v "qemu-$processor" >/dev/null || cannot "there is no qemu-$processor"
  inside() { tool=$1 && shift && env -i "qemu-$processor" "$work/bin/$tool" "$@"; }
  tar -xzf "$packages" -C "$work" --strip-components=1
  if readelf -lW "$work"/bin/* | grep INTERP; then echo "a tool is not static"; exit 1; fi
  cp "$data/f02_linear.pte" "$work/model.pte"
  try "$work"
  expect_documents "$work"
  echo "1 passed, 0 failed"
  exit
fi

[ "$(id -u)" = 0 ] || cannot "only root may chroot"
command -v debootstrap >/dev/null || cannot "there is no debootstrap"
case $kind in
  deb) suite=bookworm tools=/usr/bin ;;
  static) suite=bullseye tools=/tmp/try/bin ;;
esac
root=${3-$work/root}
if [ ! -e "$root/etc/debian_version" ]; then
  debootstrap --variant=minbase "$suite" "$root" >"$work/debootstrap.log" 2>&1 ||
    cannot "debootstrap $suite: $(tail -n 1 "$work/debootstrap.log")"
fi
inside() { env -i PATH=$tools:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }

rm -rf "$root/tmp/try"
mkdir "$root/tmp/try"
cp "$data/f02_linear.pte" "$root/tmp/try/model.pte"

if [ "$kind" = static ]; then
  tar -xzf "$packages" -C "$root/tmp/try" --strip-components=1
  try /tmp/try
  expect_documents "$root/tmp/try"
  rm -rf "$root/tmp/try"
  echo "1 passed, 0 failed"
  exit
fi

files() { inside find / -xdev -path /tmp -prune -o -path '/var/*' -prune -o -iname '*pteedit*' -print; }
[ -z "$(files)" ] || { echo "there was something before: $(files)"; exit 1; }
cp "$packages"/*.deb "$root/tmp/try"
inside sh -c 'apt-get install -qq -y --no-install-recommends /tmp/try/*.deb >/tmp/try/log 2>&1 || { cat /tmp/try/log; exit 1; }'
try /tmp/try
inside dpkg --verify pteedit libpteedit0.1 libpteedit-c1 libpteedit-dev
inside sh -c 'apt-get purge -qq -y "?name(pteedit)" >/tmp/try/log 2>&1 || { cat /tmp/try/log; exit 1; }'
[ -z "$(files)" ] || { echo "purging leaves $(files)"; exit 1; }
rm -rf "$root/tmp/try"
echo "1 passed, 0 failed"
