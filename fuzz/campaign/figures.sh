#!/bin/sh
# What `./prelaunch fuzz --figures` prints, from the top of the project: rates of every target with and
# without sanitizers, the corpus, its replay, and how much of each contract the corpus covers.
set -eu
profiles=build/figures-coverage
replay=build/coverage/fuzz/campaign/prelaunch-replay

rates() { # one target at a time: rates are per core
  for tree in fuzz fuzz-fast; do
    echo "--- preset $tree"
    "build/$tree/fuzz/campaign/prelaunch-campaign" --budget 32s --jobs 1 --out "build/figures-$tree" |
      grep -E 'accepted|FINDING|NOT TRUSTED'
  done
}

corpus() {
  echo '--- corpus'
  for op in corpus/*; do
    echo "$(basename "$op"): $(find "$op" -name '*.json' | wc -l) calls"
  done
  start=$(date +%s%N)
  build/fuzz/fuzz/campaign/prelaunch-replay --quiet corpus
  echo "replayed under sanitizers in $(((($(date +%s%N)) - start) / 1000000)) ms"
}

# Continuous profiles (%c): a child that ends without leaving one has counted in its parent's.
coverage() {
  echo '--- contracts covered by the corpus, replayed whole and with each rule left out'
  rm -rf "$profiles"
  mkdir -p "$profiles"
  export LLVM_PROFILE_FILE="$profiles/%c%p.profraw"
  "$replay" --quiet corpus >/dev/null
  "$replay" --quiet --each-rule corpus >/dev/null
  llvm-profdata-19 merge -o "$profiles/all" "$profiles"/*.profraw
  for op in corpus/*; do
    contract=kernels/$(basename "$op")/contract.h
    printf '%s: ' "$contract"
    llvm-cov-19 export "$replay" -instr-profile="$profiles/all" -summary-only "$contract" |
      sed -n 's/.*"totals":{"branches":{"count":\([0-9]*\),"covered":\([0-9]*\).*"lines":{"count":\([0-9]*\),"covered":\([0-9]*\).*/\4 of \3 lines, \2 of \1 branches/p'
    echo
  done
}

rates
corpus
coverage
