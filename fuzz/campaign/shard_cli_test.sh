#!/bin/sh
# Shards and their merge from outside: usage, shards that are killed or missing, folders that are in
# the way.
# usage: shard_cli_test.sh PROGRAM CORPUS FUZZERS
. "$(dirname "$0")/../cli_test.sh"
campaign=$tmp/programs/campaign/prelaunch-campaign
PRELAUNCH_ROOT=$tmp/root
PRELAUNCH_RUNS=$tmp/runs
export PRELAUNCH_ROOT PRELAUNCH_RUNS
pids=
# Whatever ends the test early leaves no process behind.
trap '[ -z "$pids" ] || kill -9 $pids 2>/dev/null; rm -rf "$tmp"' EXIT

# Runs the program; checks its exit code and that it complains in one line, or not at all.
expect() { # exit code, arguments...
  code=$1
  shift
  run_program "$campaign" "$@"
  [ $got = "$code" ] || fail "campaign $*: exit code $got, not $code"
  lines=$(wc -l <"$tmp/err")
  [ "$lines" = $((code == 2)) ] || fail "campaign $*: $lines lines on standard error"
}
holds() { # folder, text
  grep -qF -- "$2" "$1/campaign.json" || fail "$1/campaign.json does not say: $2"
}
total() { # member, folders...: its sum over targets and folders
  member=$1
  shift
  for folder; do cat "$folder/campaign.json"; done |
    awk -v member="\"$member\":" '$1 == member { sum += $2 } END { print sum + 0 }'
}
# What a script needs to pass for a fuzzer.
plays='[ -z "$PRELAUNCH_SELF_TEST" ] || { echo "prelaunch self-test passed"; exit 0; }
echo "INFO: Loaded 1 modules   (9 inline 8-bit counters): 9 [0x1, 0xa),"'
fuzzers() { # text of a script
  for profile in validate execute; do
    rm -f "$tmp/programs/ulysses_pack_${profile}_fuzzer"
    printf '%s\n' '#!/bin/sh' "$plays" "$1" >"$tmp/programs/ulysses_pack_${profile}_fuzzer"
    chmod +x "$tmp/programs/ulysses_pack_${profile}_fuzzer"
  done
}
real_fuzzers() { # folder
  for profile in validate execute; do
    ln -sf "$1/ulysses_pack_${profile}_fuzzer" "$tmp/programs"
  done
}

mkdir -p "$tmp/programs/campaign" "$tmp/root/corpus/ulysses_pack/seed"
cp "$1" "$campaign"
cp "$2/ulysses_pack/seed/accept-small_vector.json" "$2/ulysses_pack/seed/qkv.cuda-broken.json" \
  "$2/ulysses_pack/seed/q.rank-broken.json" "$tmp/root/corpus/ulysses_pack/seed"
# shellcheck disable=SC2016
fuzzers 'printf "\003\0\0\0\0\0\0\0\001\0\0\0\0\0\0\0\002\0\0\0\0\0\0\0\001" 1<>"$PRELAUNCH_STATS"'

# Usage.
for shard in '' x 8/8 9/8 1/0 0/0 -1/2 1 1/ /2 1/2/3 '1/2 ' 0/4097 0x1/2 99999999999999999999/2; do
  expect 2 --shard "$shard" --out "$tmp/unused"
  complains "--shard: expected I/N with 0 <= I < N.*, like 2/8, got $shard\$"
done
for option in '--budget 5s' '--jobs 1' '--ops ulysses_pack' '--seed 1' '--shard 0/2'; do
  # shellcheck disable=SC2086
  expect 2 --merge "$tmp/programs" $option --out "$tmp/unused"
  complains "--merge.*${option%% *}\|${option%% *}.*--merge"
done
expect 2 --merge
expect 2 --merge "$tmp/none" --out "$tmp/unused"
complains "--merge: expected the folder of a campaign, got $tmp/none"
[ ! -e "$tmp/unused" ] || fail 'bad usage leaves a folder'
expect 0 --help
says '--shard 2/8'
says '--merge .*/night/?'

# A share of the stored calls each, and folders of their own.
for index in 0 1 2 3; do
  expect 0 --shard $index/4 --ops ulysses_pack --budget 60s
  says "^ulysses_pack: $((index < 3)) corpus calls replayed"
  says "shard $index/4, results in $tmp/runs/.*-shard-$index-of-4\$"
done
expect 0 --merge "$tmp"/runs/*
says "results in $tmp/runs/.*-merged\$"
merged=$(echo "$tmp"/runs/*-merged)
[ "$(total executions "$merged")" = 24 ] || fail 'the merged counts are no sums'
holds "$merged" '"verdict": "clean"'
[ ! -e "$tmp/root/corpus/.work" ] || fail 'a shard writes to the checkout'

# Two shards with the real fuzzers, of which one is killed long before its time is over.
real_fuzzers "$3"
"$campaign" --shard 0/2 --ops ulysses_pack --budget 6s --jobs 2 --out "$tmp/s0" >"$tmp/out" 2>"$tmp/err" &
first=$!
"$campaign" --shard 1/2 --ops ulysses_pack --budget 60s --jobs 2 --out "$tmp/s1" >/dev/null 2>&1 &
second=$!
pids="$first $second"
until_true 'a shard counts while it fuzzes' '[ "$(total executions "$tmp/s1" 2>/dev/null)" -gt 0 ]'
kill -KILL $second
wait $second 2>/dev/null
pids=$first
wait $first || fail "shard 0/2: exit code $?"
pids=
holds "$tmp/s0" '"ended": true'
holds "$tmp/s0" '"verdict": "clean"'
holds "$tmp/s1" '"ended": false'
holds "$tmp/s1" '"the campaign did not end"'
holds "$tmp/s1" '"verdict": "untrusted"'
[ ! -e "$tmp/root/corpus/.work" ] || fail 'a shard writes to the checkout'
[ -n "$(ls "$tmp/s1/corpus/ulysses_pack_validate")" ] || fail 'what a killed shard found is lost'
cat "$tmp"/s[01]/logs/*.log | sed -n 's/^INFO: Seed: //p' | sort >"$tmp/seeds"
[ "$(uniq "$tmp/seeds" | wc -l)" = 4 ] || fail "expected four seeds, got $(paste -sd ' ' "$tmp/seeds")"

# Joined.
expect 3 --merge "$tmp/s0" "$tmp/s1" --out "$tmp/all"
holds "$tmp/all" '"s1: the campaign did not end"'
holds "$tmp/all" '"shard": null'
holds "$tmp/all" '"s0",'
says '^NOT TRUSTED: s1: the campaign did not end'
says '^ulysses_pack_execute: had 0 inputs, gained [1-9]'
for member in executions accepted rejected executed ulysses_pack.qkv.cuda; do
  [ "$(total $member "$tmp/all")" = "$(total $member "$tmp/s0" "$tmp/s1")" ] ||
    fail "merged $member are no sum"
done
for profile in validate execute; do
  count=$(find "$tmp/root/corpus/.work/ulysses_pack_$profile" -type f | wc -l)
  holds "$tmp/all" "\"corpus\": $count,"
done
expect 3 --merge "$tmp/s0" "$tmp/s1" --out "$tmp/all"
# The depth of the stack is a feature to libFuzzer, and not always the same for the same input.
says '^ulysses_pack_execute: had [1-9][0-9]* inputs, gained [0-5] of'

# Shards that are missing or there twice.
expect 3 --merge "$tmp/s0" --out "$tmp/one"
holds "$tmp/one" '"shard 1/2 is missing"'
mkdir "$tmp/mute"
cp -r "$tmp/s1/corpus" "$tmp/mute"
expect 3 --merge "$tmp/s0" "$tmp/mute" --out "$tmp/one"
holds "$tmp/one" '"mute: campaign.json is missing"'
cp -r "$tmp/s0" "$tmp/copy"
expect 2 --merge "$tmp/s0" "$tmp/copy" --out "$tmp/unused"
complains "expected each shard once, got shard 0/2 in $tmp/s0 and in $tmp/copy"
expect 2 --merge "$tmp/s0" "$tmp/s0/" --out "$tmp/unused"
complains 'expected each folder once'
sed -i 's/"seed": 1,/"seed": 2,/; s/"index": 0/"index": 1/; s/"commit": "/&x/' "$tmp/copy/campaign.json"
expect 3 --merge "$tmp/s0" "$tmp/copy" --out "$tmp/one"
says 'of different seeds: 1, 2'
says 'of different commits: '
sed -i 's/"executions": [0-9]*/"executions": []/' "$tmp/copy/campaign.json"
expect 2 --merge "$tmp/s0" "$tmp/copy" --out "$tmp/unused"
complains "$tmp/copy/campaign.json: targets\[0\].executions: expected a number, got an array"
[ ! -e "$tmp/unused" ] || fail 'bad input leaves a folder'

# Folders that cannot be written.
echo >"$tmp/file"
for out in "$tmp/file" "$tmp/file/below" /proc/none "$tmp/s0"; do
  expect 2 --merge "$tmp/s0" "$tmp/s1" --out "$out"
  complains "$out"
done
holds "$tmp/s0" '"ended": true'

# Ctrl-C.
fuzzers 'cp new/* base; : >"$0.begun"; sleep 1000'
work=$(find "$tmp/root/corpus/.work" -type f | wc -l)
"$campaign" --merge "$tmp/s0" --out "$tmp/interrupted" >"$tmp/out" 2>"$tmp/err" &
pids=$!
until_true 'the merge begins' '[ -e "$tmp"/interrupted/.parts/ulysses_pack_validate/fuzzer.begun ]'
kill -INT $pids
wait $pids
code=$?
pids=
[ $code = 130 ] || fail "interrupted: exit code $code"
[ ! -e "$tmp/interrupted/campaign.json" ] || fail 'an interrupted merge writes a result'
[ ! -e "$tmp/interrupted/.parts" ] || fail 'an interrupted merge leaves its parts'
[ "$(find "$tmp/root/corpus/.work" -type f | wc -l)" = "$work" ] || fail 'inputs are half joined'

finish
