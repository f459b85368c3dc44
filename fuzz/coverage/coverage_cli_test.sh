#!/bin/sh
# Coverage of the contracts as a user measures it. Usage: coverage_cli_test.sh PROGRAM CORPUS
# PRELAUNCH_CORPUS
. "$(dirname "$0")/../cli_test.sh"
program=$1
corpus=$2
prelaunch_corpus=$3

expect() { # exit code, arguments...
  wanted=$1
  shift
  run_program "$program" "$@"
  [ $got = "$wanted" ] || fail "$*: exit code $got, not $wanted"
}
all='ulysses_pack: \([0-9]*\) of \1 lines, \([0-9]*\) of \2 branches'

expect 0 --help
says 'Example: prelaunch coverage'
expect 2
expect 2 "$tmp/out" --ops nothing
complains '--ops: expected names of ulysses_pack, .*, got "nothing"'

PRELAUNCH_ROOT=$tmp
export PRELAUNCH_ROOT
seeds=$tmp/corpus/ulysses_pack/seed
found=$tmp/corpus/.work/ulysses_pack_execute
mkdir -p "$seeds" "$found"
expect 3 "$tmp/run" --ops ulysses_pack
complains "ulysses_pack: expected calls in $tmp/corpus/ulysses_pack or inputs in"
[ -z "$(ls "$tmp/run")" ] || fail 'without calls, files are written'

# One good call and one input reach little of it; an input too large for a fuzzer is none.
cp "$corpus"/ulysses_pack/seed/accept-*.json "$seeds"
printf '\001' >"$found/one"
head -c 1025 /dev/zero >"$found/large"
cd "$tmp" || exit 1
expect 0 run --ops ulysses_pack
says 'and 1 found inputs$'
grep -q "$all" "$tmp/out" && fail 'good calls alone cover everything'
[ -f run/coverage/index.html ] || fail 'no page'
grep -q 'kernels/ulysses_pack/contract.h"' run/coverage.json || fail 'no summary'
grep -q 'kernels/common\|dflash' run/coverage.json && fail 'the summary is not of the contract alone'

# What campaigns found counts as well, and what stands there is replaced.
mv run/coverage/index.html run/coverage/old.html
"$prelaunch_corpus" pack ulysses_pack "$corpus" "$found"
expect 0 run --ops ulysses_pack
says "$all"
[ "$(cd run && echo *)" = 'coverage coverage.json' ] || fail "more is left: $(ls run)"
[ -f run/coverage/index.html ] || fail 'no page'
[ -e run/coverage/old.html ] && fail 'an older page stays'
[ -e default.profraw ] && fail 'a profile is left where it ran'

# All of a contract is reached by the stored calls alone.
rm -r "$tmp/corpus/.work" "$seeds"
cp -r "$corpus/ulysses_pack" "$tmp/corpus"
expect 0 run --ops ulysses_pack
says "$all, by [1-9][0-9]* stored calls and 0 found inputs"

echo '{' >"$tmp/corpus/ulysses_pack/seed/bad.json"
expect 2 run --ops ulysses_pack
complains 'seed/bad.json: '
finish
