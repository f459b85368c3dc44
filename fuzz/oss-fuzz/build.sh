#!/bin/bash -eu
# Builds every fuzz target for a fuzzing cluster, by the conventions of OSS-Fuzz and ClusterFuzzLite:
#
#   in    $CC $CXX $CFLAGS $CXXFLAGS   compiler, sanitizer and instrumentation, as the cluster wants them
#         $LIB_FUZZING_ENGINE          what a target links in place of a main()
#         $SRC/prelaunch               this checkout      $WORK   a folder to build in
#   out   $OUT/<op>_<profile>_fuzzer, and beside it _seed_corpus.zip, .dict, .options
#
# Needs the packages that the Dockerfile beside it installs.
build=$WORK/prelaunch
cmake -S "$SRC/prelaunch" -B "$build" -G Ninja -DPRELAUNCH_FUZZ=ON -DPRELAUNCH_PORTABLE=ON \
  -DPRELAUNCH_BACKEND=emulator -DPRELAUNCH_ENGINE="$LIB_FUZZING_ENGINE"
cmake --build "$build"

# A coverage build's tools leave a profile wherever they run.
export LLVM_PROFILE_FILE=$WORK/corpus.profraw
corpus=$build/fuzz/campaign/prelaunch-corpus
for source in "$SRC"/prelaunch/fuzz/*_fuzzer.cc; do
  op=$(basename "$source" _fuzzer.cc)
  packed=$WORK/packed/$op
  "$corpus" pack "$op" "$SRC/prelaunch/corpus" "$packed/seeds" --dictionary "$packed/words"
  (cd "$packed/seeds" && find . -type f -printf '%P\n' | sort >../list &&
    cmake -E tar cf ../seeds.zip --format=zip --files-from=../list)
  for target in "$build/fuzz/${op}"_{validate,execute}_fuzzer; do
    name=$(basename "$target")
    cp "$packed/seeds.zip" "$OUT/${name}_seed_corpus.zip"
    cp "$packed/words" "$OUT/$name.dict"
    cp "$SRC/prelaunch/fuzz/oss-fuzz/fuzzer.options" "$OUT/$name.options"
    cp "$target" "$OUT/"
  done
done
