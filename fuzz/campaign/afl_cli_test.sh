#!/bin/sh
# A campaign of AFL++ from outside: what it finds is kept, whatever ends it, and no process is left.
# usage: afl_cli_test.sh PROGRAM CORPUS AFL_FUZZERS
. "$(dirname "$0")/../cli_test.sh"
campaign=$1
PRELAUNCH_ROOT=$tmp/root
PRELAUNCH_FUZZERS=$3
export PRELAUNCH_ROOT PRELAUNCH_FUZZERS
command -v afl-fuzz >/dev/null || { echo "skipped: afl-fuzz is missing"; exit 77; }
for profile in validate execute; do
  [ -x "$3/ulysses_pack_${profile}_fuzzer" ] ||
    { echo "skipped: the targets of AFL++ are not built; ./prelaunch fuzz --engine afl builds them"; exit 77; }
done
mkdir -p "$tmp/root/corpus/ulysses_pack/seed"
cp "$2/ulysses_pack/seed/accept-small_vector.json" "$2/ulysses_pack/seed/qkv.cuda-broken.json" \
  "$tmp/root/corpus/ulysses_pack/seed"
work=$tmp/root/corpus/.work
pid=
trap '[ -z "$pid" ] || kill -9 $pid 2>/dev/null; rm -rf "$tmp"' EXIT

start() { # folder
  "$campaign" --engine afl --ops ulysses_pack --budget 600s --jobs 2 --out "$1" \
    >"$tmp/out" 2>"$tmp/err" &
  pid=$!
}
# Every process of a campaign, the targets' too, has its counters' file in its environment.
none_left() { ! grep -slF "PRELAUNCH_STATS=$tmp/" /proc/[0-9]*/environ >"$tmp/left"; }
both_find() { ls "$work"/ulysses_pack_validate/* "$work"/ulysses_pack_execute/* >/dev/null 2>&1; }
are_whole() { # every input in the work corpora is named by its content
  sha1sum "$work"/ulysses_pack_*/* | while read -r sum file; do
    [ "$sum" = "$(basename "$file")" ] || fail "$file is not named by its content"
  done
}

start "$tmp/killed"
until_true 'both targets find inputs' both_find
run_program "$campaign" --engine afl --ops ulysses_pack --budget 60s --out "$tmp/second"
[ "$got" = 2 ] || fail "a second campaign beside it: exit code $got"
until_true 'what is found is kept' both_find
kill -KILL "$pid"
wait "$pid" 2>/dev/null
until_true 'all die with the campaign' none_left
queue=$work/.afl/ulysses_pack_execute/0/queue
sha1sum "$queue"/*,src:* | cut -d ' ' -f 1 | sort -u >"$tmp/queued"
[ -s "$tmp/queued" ] || fail 'a killed campaign leaves no queue'

start "$tmp/interrupted"
until_true 'AFL++ counts' 'grep -q "\"executions\": [1-9]" "$tmp/interrupted/campaign.json" 2>/dev/null'
while read -r name; do
  [ -e "$work/ulysses_pack_execute/$name" ] || fail "$name of the killed campaign is lost"
done <"$tmp/queued"
kill -INT "$pid"
wait "$pid"
code=$?
pid=
[ $code = 130 ] || fail "interrupted: exit code $code"
none_left || fail "interrupted: a process is left: $(cat "$tmp/left")"
are_whole
[ -z "$(ls "$work/.afl")" ] || fail 'AFL++ leaves its folder'
[ "$(grep -c '"engine": "afl"' "$tmp/interrupted/campaign.json")" = 2 ] || fail 'the file names no engine'
grep -q '"features": [1-9]' "$tmp/interrupted/campaign.json" || fail 'no edges are counted'

finish
