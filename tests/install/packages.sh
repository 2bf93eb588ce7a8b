#!/bin/sh
# Tries packages where nothing else is, in a Debian that debootstrap makes:
#   packages.sh deb FOLDER [ROOT]       installs, runs and purges the Debian packages of a folder
#   packages.sh static ARCHIVE [ROOT]   unpacks and runs the static tools, in the Debian before this one
# ROOT is a folder for that Debian, to be used again. Exits with 77 where there is no debootstrap, root or network.
set -eu

cannot() {
  echo "skipped: $*"
  exit 77
}
[ "$(id -u)" = 0 ] || cannot "only root may chroot"
command -v debootstrap >/dev/null || cannot "there is no debootstrap"

kind=$1
packages=$2
case $kind in
  deb) suite=bookworm tools=/usr/bin ;;
  static) suite=bullseye tools=/tmp/try/bin ;;
esac
data=$(cd "$(dirname "$0")/../data" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=${3-$work/root}
if [ ! -e "$root/etc/debian_version" ]; then
  debootstrap --variant=minbase "$suite" "$root" >"$work/debootstrap.log" 2>&1 ||
    cannot "debootstrap $suite: $(tail -n 1 "$work/debootstrap.log")"
fi
inside() { env -i PATH=$tools:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }

rm -rf "$root/tmp/try"
mkdir "$root/tmp/try"
cp "$data/f02_linear.pte" "$root/tmp/try/model.pte"

# From a file and back.
try() {
  for tool in pteinspect pteprof ptesplit ptemerge ptestrip ptecopy ptepack; do inside "$tool" --version; done
  inside pteinspect --hash=sha256 /tmp/try/model.pte
  inside ptesplit -q /tmp/try/model.pte -o /tmp/try/small.pte -d /tmp/try/weights.ptd
  inside pteinspect --same /tmp/try/model.pte /tmp/try/small.pte --data /tmp/try/weights.ptd
  inside ptepack create -q /tmp/try/model.pte -o /tmp/try/release --compress
  inside ptepack verify /tmp/try/release
}

if [ "$kind" = static ]; then
  tar -xzf "$packages" -C "$root/tmp/try" --strip-components=1
  try
  for file in man/man1/pteinspect.1 bash-completion/completions/pteinspect doc/pteedit/LICENSE doc/pteedit/licenses/libssl-dev; do
    test -s "$root/tmp/try/share/$file" || { echo "the archive has no share/$file"; exit 1; }
  done
  rm -rf "$root/tmp/try"
  echo "1 passed, 0 failed"
  exit
fi

files() { inside find / -xdev -path /tmp -prune -o -path '/var/*' -prune -o -iname '*pteedit*' -print; }
[ -z "$(files)" ] || { echo "there was something before: $(files)"; exit 1; }
cp "$packages"/*.deb "$root/tmp/try"
inside sh -c 'apt-get install -qq -y --no-install-recommends /tmp/try/*.deb >/tmp/try/log 2>&1 || { cat /tmp/try/log; exit 1; }'
try
inside dpkg --verify pteedit libpteedit0.1 libpteedit-c1 libpteedit-dev
inside sh -c 'apt-get purge -qq -y "?name(pteedit)" >/tmp/try/log 2>&1 || { cat /tmp/try/log; exit 1; }'
[ -z "$(files)" ] || { echo "purging leaves $(files)"; exit 1; }
rm -rf "$root/tmp/try"
echo "1 passed, 0 failed"
