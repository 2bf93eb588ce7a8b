#!/bin/sh
# Installs the build folder BUILD below a temporary prefix, then builds and runs the consumers against it, once found by
# CMake and once by pkg-config: run.sh BUILD LIBDIR. CXX, CXXFLAGS, CMAKE and CMAKE_GENERATOR are those of the build.
set -eu

build=$1
libdir=$2
source_dir=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

"$CMAKE" --install "$build" --prefix "$prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }

"$CMAKE" -S "$source_dir/consumer" -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$prefix" >"$work/cmake.log" ||
  { cat "$work/cmake.log"; exit 1; }
"$CMAKE" --build "$work/by-cmake"
dump=$source_dir/../data/profile/mlp.etdp
"$work/by-cmake/consumer"
"$work/by-cmake/profile_consumer" "$dump"
"$work/by-cmake/package_consumer"
"$work/by-cmake/door_consumer" "$source_dir/../data/f02_linear.pte"

export PKG_CONFIG_PATH="$prefix/$libdir/pkgconfig"
# shellcheck disable=SC2046,SC2086 # options are words
"$CXX" -std=c++17 -Wall -Wextra -Wpedantic -Werror $CXXFLAGS "$source_dir/consumer/main.cc" -o "$work/by-pkg-config" \
  $(pkg-config --cflags --libs pteedit)
LD_LIBRARY_PATH=$prefix/$libdir "$work/by-pkg-config"
# shellcheck disable=SC2046,SC2086
"$CXX" -std=c++17 -Wall -Wextra -Wpedantic -Werror $CXXFLAGS "$source_dir/consumer/profile.cc" \
  -o "$work/profile-by-pkg-config" $(pkg-config --cflags --libs pteedit-profile)
LD_LIBRARY_PATH=$prefix/$libdir "$work/profile-by-pkg-config" "$dump"
# shellcheck disable=SC2046,SC2086
"$CXX" -std=c++17 -Wall -Wextra -Wpedantic -Werror $CXXFLAGS "$source_dir/consumer/package.cc" \
  -o "$work/package-by-pkg-config" $(pkg-config --cflags --libs pteedit-package)
LD_LIBRARY_PATH=$prefix/$libdir "$work/package-by-pkg-config"
# shellcheck disable=SC2046
"${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Werror "$source_dir/consumer/door.c" -o "$work/door-by-pkg-config" \
  $(pkg-config --cflags --libs pteedit-c)
LD_LIBRARY_PATH=$prefix/$libdir "$work/door-by-pkg-config" "$source_dir/../data/f02_linear.pte"

# Who links the first library alone gets neither zlib nor zstd.
if ldd "$prefix/$libdir/libpteedit.so" | grep -E 'libz|libzstd'; then exit 1; fi

# What docs/cpp.md shows is a program, and works.
page=$source_dir/../../docs/cpp.md
{
  sed -n '/^```cpp$/,/^```$/p' "$page" | sed '/^```/d'
  echo 'int main() { return SplitModel() ? 0 : 1; }'
} >"$work/shown.cc"
# shellcheck disable=SC2046,SC2086
"$CXX" -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Werror $CXXFLAGS "$work/shown.cc" -o "$work/shown" \
  $(pkg-config --cflags --libs pteedit)
cp "$source_dir/../data/f02_linear.pte" "$work/model.pte"
(cd "$work" && LD_LIBRARY_PATH=$prefix/$libdir ./shown && test -s small.pte && test -s weights.ptd) ||
  { echo "the program of docs/cpp.md failed"; exit 1; }

test -s "$prefix/share/doc/pteedit/LICENSE" || { echo "the licence is not installed"; exit 1; }

# Programs find the library through its soname, which changes with the ABI: before 1.0 with each minor version.
for library in libpteedit libpteedit_profile libpteedit_package libpteedit_c; do
  soname=$(readelf -d "$prefix/$libdir/$library.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
  case $soname in
    $library.so.0.[0-9]*.* | $library.so.0) echo "soname '$soname' does not tell minor versions"; exit 1 ;;
    $library.so.0.[0-9]* | $library.so.[1-9]*) ;;
    *) echo "soname is '$soname', $library.so.<number> expected"; exit 1 ;;
  esac
  test -e "$prefix/$libdir/$soname" || { echo "$soname is not installed"; exit 1; }
done

# Tools run from where they were installed, and each has its man page and what shells complete.
for tool in "$prefix"/bin/*; do
  "$tool" --version
  name=$(basename "$tool")
  for file in "man/man1/$name.1" "bash-completion/completions/$name" "zsh/site-functions/_$name" \
    "fish/vendor_completions.d/$name.fish"; do
    test -s "$prefix/share/$file" || { echo "$tool has no share/$file"; exit 1; }
  done
done
