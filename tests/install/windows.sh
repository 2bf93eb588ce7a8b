#!/bin/sh
# Runs the tools of an archive for Windows in wine, and holds what they print and write against the tools of this machine, to
# the byte:
#   windows.sh ARCHIVE FOLDER_OF_TOOLS
# Exits with 77 where there is no wine.
set -eu

for wine in wine64 /usr/lib/wine/wine64 wine none; do ! command -v "$wine" >/dev/null || break; done
[ "$wine" != none ] || {
  echo "skipped: there is no wine"
  exit 77
}
archive=$(readlink -f "$1")
native=$(cd "$2" && pwd)
data=$(cd "$(dirname "$0")/../data" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cmake -E chdir "$work" cmake -E tar xf "$archive"
windows=$(echo "$work"/pteedit-*/bin)
export WINEPREFIX="$(dirname "$archive")/wine" WINEDEBUG=-all TERM=dumb
"$wine" cmd /c exit >"$work/log" 2>&1 || true # which fills the prefix, and says so
passed=0
failed=0
for file in pteinspect.1 LICENSE licenses/libcxx licenses/mingw-w64; do
  if [ -n "$(find "$windows/../share" -path "*/$file" -size +0)" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "the archive has no $file"
  fi
done

# same TOOL ARGUMENTS...: both tools say and leave the same in a folder of their own. Reads $input, if there is any.
input=/dev/null
same() {
  tool=$1
  shift
  native_status=0 windows_status=0
  (cd "$work/native" && cat "$input" | "$native/$tool" "$@" >"$work/native.out" 2>"$work/native.err") || native_status=$?
  (cd "$work/windows" && cat "$input" | "$wine" "$windows/$tool.exe" "$@" >"$work/windows.out" 2>"$work/windows.err") ||
    windows_status=$?
  if [ "$native_status" = "$windows_status" ] && cmp "$work/native.out" "$work/windows.out" &&
    diff -a "$work/native.err" "$work/windows.err" && diff -r "$work/native" "$work/windows"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "other in Windows: $tool $* (exit codes $native_status, $windows_status)"
  fi
}

mkdir "$work/native" "$work/windows"
for folder in native windows; do
  cp "$data"/*.pte "$data"/*.bpte "$data"/*.etdp "$work/$folder"
  cp "$data/f02_linear.pte" "$work/$folder/größe.pte"
  mkdir "$work/$folder/there"
done
for tool in pteinspect pteprof ptesplit ptemerge ptestrip ptecopy ptepack; do
  same "$tool" --version
  same "$tool" --help
done
for file in "$work"/native/*.pte; do
  name=$(basename "$file" .pte)
  same pteinspect "$name.pte"
  same pteinspect --json --verify --hash=sha256 "$name.pte"
  same pteinspect "$name.pte" --html "$name.html"
  same ptesplit "$name.pte" -o "$name.small.pte" -d "$name.ptd"
  same pteinspect --same "$name.pte" "$name.small.pte" --data "$name.ptd"
  same ptesplit "$name.small.pte" --join --data "$name.ptd" -o "$name.joined.pte" --sha256
  same ptestrip "$name.pte" -o "$name.stripped.pte" --all --json
done
same ptestrip f11_bundled_xnn.bpte -o unwrapped.pte --unwrap
same ptemerge f02_linear.pte f03_mlp_xnn.pte größe.pte -o merged
same ptemerge f02_linear.pte größe.pte -o merged # exists
same ptemerge f02_linear.pte größe.pte -o merged --force
same ptecopy f02_linear.pte -o copied.pte --set-method get_name=llama
same ptecopy f03_mlp_xnn.pte -o copied.pte --set-method get_name=llama --force
same pteprof f10_stacktrace.etdp f10_stacktrace.pte --by-type
same ptepack create f02_linear.pte größe.pte -o old --compress
same ptepack create f03_mlp_xnn.pte copied.pte f02_linear.pte -o new --compress
same ptepack verify old
same ptepack delta old new -o delta
same ptepack apply delta --from old -o applied
same ptepack prune old
# Errors, too, and where Windows is another system: separators, standard input and output, what is there already.
same ptesplit f02_linear.pte -o there -d w.ptd
same ptesplit f02_linear.pte -o nowhere/small.pte -d w.ptd
same ptestrip f02_linear.pte -o f02_linear.pte --force
same ptestrip f02_linear.pte -o copied.pte
same pteinspect missing.pte
same pteinspect there
input=$data/f02_linear.pte
same pteinspect -
same ptestrip f02_linear.pte -o - --all
input=/dev/null
if (cd "$work/windows" && "$wine" "$windows/ptestrip.exe" -q f02_linear.pte -o 'there\\small.pte') &&
  [ "$(ls -A "$work/windows/there")" = small.pte ]; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
  echo "a path with a backslash does not lead into its folder"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
