#!/bin/bash -eu
# Builds all targets in the container of OSS-Fuzz, which sets SRC, OUT, WORK, CXX, CXXFLAGS and LIB_FUZZING_ENGINE; each with its
# corpus and dictionary. What runs them has no libraries, so all are linked inside. Further arguments go to cmake.
project=$SRC/pteedit
cmake -S "$project" -B "$WORK/pteedit" -G Ninja -D CMAKE_BUILD_TYPE=RelWithDebInfo -D CMAKE_CXX_FLAGS_RELWITHDEBINFO= \
  -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON -D BUILD_SHARED_LIBS=OFF -D PTEEDIT_TESTS=OFF -D PTEEDIT_FUZZ=ON \
  -D PTEEDIT_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" "$@"
cmake --build "$WORK/pteedit" --target fuzz_targets
for corpus in "$project"/fuzz/corpus/*; do
  target=fuzz_$(basename "$corpus")
  cp "$WORK/pteedit/fuzz/$target" "$OUT/"
  cp "$project/fuzz/pte.dict" "$OUT/$target.dict"
  (cd "$corpus" && zip -q -r "$OUT/${target}_seed_corpus.zip" .)
done
