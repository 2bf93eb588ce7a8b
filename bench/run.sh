#!/bin/sh
# Measures speed and memory of the tools beside cp, cat, xxhsum and openssl on programs that it makes, up to 8 × 1 GB and
# 1 × 8 GB: run.sh [--out DIR] [--sizes 8x0.1,8x1,1x8] [--exporter PYTHON] [--docs]; --help tells all. Results are JSON, a picture
# and Markdown in build/bench. Nothing here passes or fails: machines differ.
set -eu
here=$(dirname "$0")
tools=$here/../build/release/tools
[ -x "$tools/ptesplit" ] || case " $* " in
  *" --tools"* | *" --help "* | *" -h "*) ;;
  *)
    cmake -S "$here/.." --preset release >&2
    cmake --build "$here/../build/release" --target pteinspect ptesplit ptemerge ptepack ptestrip >&2
    ;;
esac
exec python3 "$here/speed.py" "$@"
