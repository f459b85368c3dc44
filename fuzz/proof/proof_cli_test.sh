#!/bin/sh
# The proof's tools as a user meets them: what is missing from a corpus is named, and wrong words are
# refused in one line. Usage: proof_cli_test.sh PROGRAMS ROOT
. "$(dirname "$0")/../cli_test.sh"
programs=$1
root=$2

expect() { # exit code, arguments...
  wanted=$1
  shift
  run_program "$program" "$@"
  [ $got = "$wanted" ] || fail "$program $*: exit code $got, not $wanted"
}
complains_in() { # lines, text
  [ "$(wc -l <"$tmp/err")" = "$1" ] || fail "standard error has not $1 lines"
  complains "$2"
}

mkdir -p "$tmp/corpus"
cp -r "$root/corpus/ulysses_pack" "$tmp/corpus"
ln -s "$root/kernels" "$tmp/kernels"
PRELAUNCH_ROOT=$tmp
export PRELAUNCH_ROOT

for tool in witness mutants faults; do
  program=$programs/prelaunch-$tool
  expect 0 --help
  says 'Example: prelaunch'
  expect 2 --no-such-option
  expect 2 --ops nothing
  complains_in 1 '--ops: expected the name of an op, got nothing'
  expect 2 --ops dflash_greedy
  complains_in 1 'dflash_greedy: '
done

program=$programs/prelaunch-mutants
expect 0 --ops ulysses_pack --json "$tmp/mutants.json"
says '41 of 41 deletions noticed'
grep -q '"corpus_seconds"' "$tmp/mutants.json" || fail 'no score in the file'
expect 2 --ops ulysses_pack --json "$tmp/none/x.json"
grep -lE '"ulysses_pack.(qkv.dtype|world_size.divides_heads)"' -r "$tmp/corpus" | xargs rm
expect 1 --ops ulysses_pack
says 'FINDING not noticed: ulysses_pack.qkv.dtype left out'
expect 1 --ops ulysses_pack --find "$tmp/found"
ls "$tmp"/found/ulysses_pack/*.json >/dev/null 2>&1 || fail 'no call was found'

program=$programs/prelaunch-witness
expect 1 --ops ulysses_pack --quiet
says 'FINDING ulysses_pack.qkv.dtype: no stored call'
says '39 of 41 rules are shown to be needed'

program=$programs/prelaunch-faults
expect 0 --ops ulysses_pack --corpus-only --json "$tmp/faults.json"
says 'ulysses_pack unwritten_tail: corpus'
grep -q '"wrong_head_grouping"' "$tmp/faults.json" || fail 'no table in the file'
rm "$tmp"/corpus/ulysses_pack/regression/f27-*.json
expect 1 --ops ulysses_pack --corpus-only
says 'FINDING ulysses_pack first_device_always: corpus -'

# A reason that is out of date.
rm "$tmp/kernels"
mkdir -p "$tmp/kernels/ulysses_pack"
echo '{"qkv.cuda left over": "nothing like it is tried"}' >"$tmp/kernels/ulysses_pack/equivalent_mutants.json"
program=$programs/prelaunch-mutants
expect 1 --ops ulysses_pack
says 'FINDING "qkv.cuda left over" is called equivalent, but no such change is tried'
echo '{"x": ""}' >"$tmp/kernels/ulysses_pack/equivalent_mutants.json"
expect 2 --ops ulysses_pack
complains_in 1 'expected a reason for "x"'
finish
