#!/bin/sh
# Gets what the presets windows-x86_64 and macos-aarch64 build with into build/cross: cross_libraries.sh PRESET. The compiler
# comes from the Python registry, headers and the sources of zlib and zstd from Debian, in the versions that the other
# builds have. Nothing is installed elsewhere, and nothing is fetched a second time. Exit code 77: it cannot be had here.
set -eu

case $#,${1-} in
  1,windows-x86_64) target=x86_64-windows-gnu ;;
  1,macos-aarch64) target=aarch64-macos ;;
  *)
    echo "usage: cross_libraries.sh windows-x86_64|macos-aarch64" >&2
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
  set -- apt-get -qq -o "Dir::Etc::SourceList=$PWD/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$PWD/lists"
  rm -rf libzstd-*/ zlib-*/
  "$@" update && "$@" source zlib libzstd
}

build_zstd() {
  cmake -G Ninja -S libzstd-*/build/cmake -B "$target/zstd" --toolchain "$toolchain" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DCMAKE_INSTALL_PREFIX="$PWD/$target" -DZSTD_BUILD_SHARED=OFF \
    -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_LEGACY_SUPPORT=OFF >/dev/null && cmake --build "$target/zstd" --target install >/dev/null
}

# What its own build makes, less a shared library, which needs tools of the target. Its headers take macOS for one of 1999.
build_zlib() {
  mkdir -p "$target/zlib" "$target/include" "$target/lib"
  for file in zlib-*/[!g]*.c; do
    "$zig" cc -target "$target" -O2 -w -DHAVE_UNISTD_H -Dfdopen=fdopen -c "$file" \
      -o "$target/zlib/$(basename "$file" .c).o" || return
  done
  cp zlib-*/zlib.h zlib-*/zconf.h "$target/include"
  "$zig" ar qcs "$target/lib/libz.a" "$target"/zlib/*.o
}

once compiler get_compiler
once headers get_headers
once sources get_sources
once "zstd-$target" build_zstd
once "zlib-$target" build_zlib
