#!/bin/sh
# Runs a parser's fuzz target over its seeds and on from them, the same runs each time: no clock decides.
# New inputs go into a folder that goes away; an input that ends the target stays where the test runs.
# Usage: fuzz_a_little.sh TARGET SEEDS...
set -eu
target=$1
shift
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
"$target" -runs=5000 -seed=1 -use_cmp=0 -timeout=10 -print_final_stats=1 \
  -artifact_prefix="$(basename "$target")-" "$found" "$@"
