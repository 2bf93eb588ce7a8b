#!/bin/sh
# Gets what the presets windows-x86_64 and macos-aarch64 build with into build/cross: cross_libraries.sh PRESET [python]; what
# scripts/cross_wheel.sh builds with has `python` too: Debian's for ARM, with headers, to run under qemu. The compiler
# comes from the Python registry, headers and the sources of zlib and zstd from Debian, in the versions that the other
# builds have. Nothing is installed elsewhere, and nothing is fetched a second time. Exit code 77: it cannot be had here.
set -eu

pic=
case ${1-},${2-} in
  windows-x86_64,*) target=x86_64-windows-gnu ;;
  macos-aarch64,*) target=aarch64-macos.13.0 ;;
  manylinux-aarch64,python) target=aarch64-linux-gnu.2.28 pic=-fPIC ;;
  *)
    echo "usage: cross_libraries.sh windows-x86_64|macos-aarch64|manylinux-aarch64 [python]" >&2
    exit 2
    ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$root/build/cross"
cd "$root/build/cross"
toolchain=$root/cmake/$1.cmake
zig=$PWD/python/ziglang/zig

# once STAMP COMMAND...: says what cannot be done.
once() {
  stamp=$PWD/$1.done
  shift
  [ ! -e "$stamp" ] || return 0
  "$@" >&2 || {
    echo "cross_libraries.sh: error: failed: $*" >&2
    exit 77
  }
  touch "$stamp"
}

get_compiler() {
  python3 -m venv --clear venv && venv/bin/python -m pip install --quiet --target python 'ziglang>=0.14'
}

get_headers() {
  rm -rf headers
  for package in libcli11-dev libflatbuffers-dev libxxhash-dev nlohmann-json3-dev; do
    apt-get download -qq "$package" && dpkg -x "$package"_*.deb headers || return
  done
}

# With lists of its own, of the same places: those of the system may have no sources.
get_sources() {
  mkdir -p lists/partial
  apt-get indextargets --format 'deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u >sources.list
  set -- -o "Dir::Etc::SourceList=$PWD/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$PWD/lists"
  rm -rf libzstd-*/ zlib-*/
  apt-get -qq "$@" update && get_source zlib "$@" && get_source libzstd "$@"
}

# get_source PACKAGE OPTIONS: the newest version that can be had. Lists also tell of some that cannot any more.
get_source() {
  package=$1
  shift
  for version in $(apt-cache "$@" showsrc --only-source "$package" | sed -n 's/^Version: //p' | sort -rV); do
    ! apt-get -qq "$@" source "$package=$version" || return 0
  done
  return 1
}

build_zstd() {
  cmake -G Ninja -S libzstd-*/build/cmake -B "$target/zstd" --toolchain "$toolchain" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_PREFIX="$PWD/$target" \
    -DZSTD_BUILD_SHARED=OFF -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_LEGACY_SUPPORT=OFF >/dev/null && cmake --build "$target/zstd" --target install >/dev/null
}

# What its own build makes, less a shared library, which needs tools of the target. Its headers take macOS for one of 1999.
build_zlib() {
  mkdir -p "$target/zlib" "$target/include" "$target/lib"
  for file in zlib-*/[!g]*.c; do
    # shellcheck disable=SC2086 # nothing or one word
    "$zig" cc -target "$target" -O2 $pic -w -DHAVE_UNISTD_H -Dfdopen=fdopen -c "$file" \
      -o "$target/zlib/$(basename "$file" .c).o" || return
  done
  cp zlib-*/zlib.h zlib-*/zconf.h "$target/include"
  "$zig" ar qcs "$target/lib/libz.a" "$target"/zlib/*.o
}

# A root with Debian's Python for ARM: its headers, and what it needs to run.
get_python() {
  rm -rf python-aarch64
  for package in libpython3.11-dev libpython3.11-stdlib libpython3.11-minimal python3.11-minimal \
    libbz2-1.0 libc6 libexpat1 libffi8 liblzma5 libssl3 zlib1g; do
    apt-get download -qq "$package:arm64" && dpkg -x "$package"_*_arm64.deb python-aarch64 || return
  done
}

# Of all whose code may be linked inside.
copy_licenses() {
  mkdir -p "$target/licenses"
  for package in libcli11-dev libflatbuffers-dev libxxhash-dev nlohmann-json3-dev; do
    cp "headers/usr/share/doc/$package/copyright" "$target/licenses/$package" || return
  done
  for package in libzstd zlib; do cp "$package"-*/debian/copyright "$target/licenses/$package" || return; done
  for part in libcxx libcxxabi libunwind; do
    cp "python/ziglang/lib/$part/LICENSE.TXT" "$target/licenses/$part" || return
  done
  cp python/ziglang/LICENSE "$target/licenses/zig"
  [ "$target" != x86_64-windows-gnu ] || cp python/ziglang/lib/libc/mingw/COPYING "$target/licenses/mingw-w64"
}

once compiler get_compiler
once headers get_headers
once sources get_sources
once "zstd-$target" build_zstd
once "zlib-$target" build_zlib
once "licenses-$target" copy_licenses
[ "${2-}" != python ] || once python-aarch64 get_python
