#!/bin/sh
# prelaunch-replay from outside: exit codes, one line for each thing that is wrong.
# usage: replay_cli_test.sh PROGRAM CORPUS
. "$(dirname "$0")/../cli_test.sh"
replay=$1
corpus=$2/ulysses_pack

# Runs the program; checks its exit code.
expect() { # exit code, arguments...
  wanted=$1
  shift
  run_program "$replay" "$@"
  [ $got = "$wanted" ] || fail "replay $*: exit code $got, not $wanted"
}
complains_in() { # lines, text
  [ "$(wc -l <"$tmp/err")" = "$1" ] || fail "standard error has not $1 lines"
  complains "$2"
}

good=$corpus/seed/accept-small_vector.json
bad=$tmp/bad.json
sed 's/"verdict": "accept"/"verdict": "reject"/' "$good" >"$bad"

# As expected.
expect 0 "$good"
says '^1 calls: 1 as expected ([0-9]* accepted but not run), 0 findings, 0 unreadable'
[ -s "$tmp/err" ] && fail 'standard error is not empty'
expect 0 --quiet "$corpus/regression"
[ "$(wc -l <"$tmp/out")" = 1 ] || fail 'quiet prints more than the last line'

# A finding, among calls that are as expected; it outweighs an unreadable file.
expect 1 "$good" "$bad" "$good" "$tmp/none.json"
says 'FINDING accepted_bad_call'
says '^3 calls: 2 as expected ([0-9]* accepted but not run), 1 findings, 1 unreadable'
complains_in 1 'none.json: cannot read'

# Usage and bad input.
expect 2
expect 2 --no-such-option "$good"
expect 2 --without-rule nonsense "$good"
complains_in 1 'expected the id of a rule, got nonsense'
expect 2 --without-rule dflash_greedy.candidates.rank "$good"
complains_in 1 "dflash_greedy.candidates.rank is a rule of none of the calls' ops"
expect 2 --each-rule --json "$good"
expect 2 --each-rule --without-rule qkv.same_shape "$good"
expect 2 --without-rule ulysses_pack.q "$good"
complains_in 1 'expected the id of a rule'
echo '{' >"$tmp/malformed.json"
printf '%1048577s' '' >"$tmp/large.json"
expect 2 "$tmp/malformed.json" "$good" "$tmp/large.json"
complains_in 2 'malformed.json: parse error'
complains_in 2 'large.json: expected at most 1048576 bytes'
says '^1 calls: 1 as expected ([0-9]* accepted but not run), 0 findings, 2 unreadable'
mkdir "$tmp/empty"
expect 2 "$tmp/empty"
complains_in 1 'empty: no'
expect 2 "$tmp/none"
complains_in 1 'none: cannot read'
expect 0 --help

# A fault is a finding, and the other calls are judged all the same.
cat >"$tmp/short_k.json" <<'JSON'
{"op": "ulysses_pack", "args": {
  "q": {"dtype": "u8", "device": "cuda:0", "shape": [4, 2, 8]},
  "k": {"dtype": "u8", "device": "cuda:0", "shape": [2, 2, 8]},
  "v": {"dtype": "u8", "device": "cuda:0", "shape": [4, 2, 8]},
  "world_size": 2, "out": null},
 "expect": {"verdict": "reject", "rule": "qkv.same_shape"}}
JSON
sed '/"expect"/d;s/null},/null}}/' "$tmp/short_k.json" >"$tmp/unknown.json"
expect 0 "$tmp/short_k.json"
expect 1 --without-rule qkv.same_shape "$good" "$tmp/short_k.json" "$tmp/unknown.json" "$good"
says 'FINDING accepted_bad_call: must be rejected by ulysses_pack.qkv.same_shape'
says 'FINDING address_sanitizer: .*judging the call ended its process'
says '^4 calls: 2 as expected ([0-9]* accepted but not run), 2 findings, 0 unreadable'

# One JSON object a call, faults included, and nothing else.
expect 1 --json --without-rule qkv.same_shape "$good" "$tmp/unknown.json"
[ "$(grep -c '^{"file": *".*}$' "$tmp/out")" = 2 ] || fail 'not one object a line'
[ "$(wc -l <"$tmp/out")" = 2 ] || fail 'more than the objects'
says '"finding": *"address_sanitizer"'

# What each rule is for.
expect 0 --each-rule "$corpus"
says 'rules are noticed when left out'
mkdir "$tmp/seed"
cp "$corpus"/seed/*.json "$tmp/seed"
expect 0 --each-rule "$tmp/seed"
rm "$tmp"/seed/qkv.dtype-b*.json  # -broken and -before-..
expect 1 --each-rule "$tmp/seed"
says 'FINDING no call notices that ulysses_pack.qkv.dtype is left out'
[ "$(grep -c FINDING "$tmp/out")" = 1 ] || fail 'more than one rule is missed'

# What cannot be printed is not passed over.
"$replay" "$good" >/dev/full 2>"$tmp/err"
[ $? = 2 ] || fail 'a full disk passes unnoticed'
complains_in 1 'standard output: cannot be written'

finish
