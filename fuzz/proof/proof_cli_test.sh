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
  complains_in 1 '--ops: expected names of ulysses_pack, .*, got "nothing"'
  expect 2 --ops dflash_greedy
  complains_in 1 'dflash_greedy: '
done

program=$programs/prelaunch-mutants
expect 0 --ops ulysses_pack --json "$tmp/mutants.json"
says '41 of 41 deletions noticed'
grep -q '"corpus_seconds"' "$tmp/mutants.json" || fail 'no score in the file'
expect 2 --ops ulysses_pack --json "$tmp/none/x.json"
complains_in 1 'none/x.json: cannot write'
[ -s "$tmp/out" ] && fail "it looked where to write only in the end"
mkfifo "$tmp/pipe"
expect 2 --ops ulysses_pack --json "$tmp/pipe"
complains_in 1 'pipe: expected a regular file'
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

# A corpus that is not what the contract says shows nothing.
calls=$tmp/corpus/ulysses_pack/regression
sed -i 's/"argument": "k"/"argument": "v"/' "$calls/k-of-rank-2.json"
for tool in witness mutants; do
  program=$programs/prelaunch-$tool
  expect 1 --ops ulysses_pack
  says 'FINDING corpus/ulysses_pack/regression/k-of-rank-2.json: wrong_argument: .* blames k, not v'
done
cp "$root/corpus/ulysses_pack/regression/k-of-rank-2.json" "$calls"
cp "$root/corpus/dflash_greedy/seed/batch.positive-broken.json" "$calls"
for tool in witness mutants faults; do
  program=$programs/prelaunch-$tool
  expect 2 --ops ulysses_pack
  complains_in 1 'batch.positive-broken.json: expected a call of ulysses_pack, got one of dflash_greedy'
done
rm "$calls/batch.positive-broken.json"

# Who ends it waits for nothing, and finds nothing left.
mkdir "$tmp/scratch"
for tool in mutants faults; do
  TMPDIR=$tmp/scratch "$programs/prelaunch-$tool" --ops ulysses_pack $([ $tool = faults ] || echo --fuzz) \
    >"$tmp/out" 2>"$tmp/err" &
  until_true 'fuzzers are started' '[ -n "$(ls "$tmp/scratch")" ]'
  kill -TERM $!
  wait $!
  got=$?
  [ $got = 130 ] || fail "$tool, ended: exit code $got, not 130"
  complains_in 1 "prelaunch $tool: interrupted"
  [ -z "$(ls "$tmp/scratch")" ] || fail "$tool, ended, leaves files"
done

# A reason that is out of date, and one for what needs none.
rm "$tmp/kernels"
mkdir -p "$tmp/kernels/ulysses_pack"
echo '{"qkv.cuda left over": "nothing like it is tried"}' >"$tmp/kernels/ulysses_pack/equivalent_mutants.json"
program=$programs/prelaunch-mutants
expect 1 --ops ulysses_pack
says 'FINDING "qkv.cuda left over" is called equivalent, but no such change is tried'
echo '{"ulysses_pack.qkv.dtype left out": "who needs it"}' >"$tmp/kernels/ulysses_pack/equivalent_mutants.json"
expect 1 --ops ulysses_pack
says 'FINDING "ulysses_pack.qkv.dtype left out" cannot be called equivalent'
echo '{"x": ""}' >"$tmp/kernels/ulysses_pack/equivalent_mutants.json"
expect 2 --ops ulysses_pack
complains_in 1 'expected a reason for "x"'
finish
