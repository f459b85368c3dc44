#!/bin/sh
# What `./prelaunch fuzz --figures` prints, from the top of the project: rates of every target with and
# without sanitizers, the corpus, its replay, and how much of each contract the corpus covers.
set -eu

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

coverage() {
  echo '--- contracts covered by the corpus and the inputs that campaigns found'
  build/fuzz/fuzz/coverage/prelaunch-coverage build/figures-coverage
}

rates
corpus
coverage
