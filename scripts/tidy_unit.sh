#!/bin/sh
# What scripts/tidy.sh gives ccache as a compiler, so that a unit in which clang-tidy found nothing is not read again before something in it
# changes: an object is that nothing was found. ccache also asks it to preprocess.
set -eu
source=
object=
wants_text=
before=
for word in "$@"; do
  [ "$before" != -o ] || object=$word
  case $word in
    -E) wants_text=yes ;;
    *.cc | *.cxx) source=$word ;;
  esac
  before=$word
done
[ -z "$wants_text" ] || exec clang++-16 "$@"
clang-tidy-16 -p . --quiet "$(realpath "$source")" >&2
echo nothing >"$object" # ccache takes an empty one for a failure
