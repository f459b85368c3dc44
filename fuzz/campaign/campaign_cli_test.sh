#!/bin/sh
# prelaunch-campaign from outside: usage, disks that are full, signals.
# usage: campaign_cli_test.sh PROGRAM CORPUS FUZZERS
. "$(dirname "$0")/../cli_test.sh"
campaign=$tmp/programs/campaign/prelaunch-campaign
PRELAUNCH_ROOT=$tmp/root
export PRELAUNCH_ROOT
pid=
children=
# Whatever ends the test early leaves no process behind.
trap '[ -z "$pid$children" ] || kill -9 $pid $children 2>/dev/null; rm -rf "$tmp"' EXIT

# Runs the program; checks its exit code and that it complains in one line or not at all.
expect() { # exit codes, lines on standard error, arguments...
  codes=$1
  lines=$2
  shift 2
  run_program "$campaign" "$@"
  case " $codes " in *" $got "*) ;; *) fail "campaign $*: exit code $got, not $codes" ;; esac
  [ "$(wc -l <"$tmp/err")" -le "$lines" ] || fail "campaign $*: standard error has more lines"
}
# campaign.json is the whole file, or not there.
whole_or_absent() { # folder
  ls "$1"/*.tmp >/dev/null 2>&1 && fail "a temporary file is left in $1"
  [ ! -e "$1/campaign.json" ] || [ "$(tail -n 1 "$1/campaign.json")" = '}' ] ||
    fail "$1/campaign.json is cut off"
}

mkdir -p "$tmp/programs/campaign" "$tmp/root/corpus/ulysses_pack/seed" "$tmp/mount"
cp "$1" "$campaign"
cp "$2/ulysses_pack/seed/accept-small_vector.json" "$2/ulysses_pack/seed/qkv.cuda-broken.json" \
  "$tmp/root/corpus/ulysses_pack/seed"
for profile in validate execute; do
  cat >"$tmp/programs/ulysses_pack_${profile}_fuzzer" <<'SH'
#!/bin/sh
[ -z "$PRELAUNCH_SELF_TEST" ] || { echo 'prelaunch self-test passed'; exit 0; }
echo 'INFO: Loaded 1 modules   (9 inline 8-bit counters): 9 [0x1, 0xa),'
printf '\003\0\0\0\0\0\0\0\001\0\0\0\0\0\0\0\002\0\0\0\0\0\0\0\001' 1<>"$PRELAUNCH_STATS"
SH
  chmod +x "$tmp/programs/ulysses_pack_${profile}_fuzzer"
done

# Usage.
expect 0 0 --ops ulysses_pack --budget 60s --out "$tmp/clean"
grep -q '"verdict": "clean"' "$tmp/clean/campaign.json" || fail 'campaign.json is not clean'
expect 0 0 --help
for budget in '' x 0 0s -5 1d 5ss 1m1h 99999999s; do
  expect 2 1 --budget "$budget" --out "$tmp/unused"
  grep -q 'expected a time like' "$tmp/err" || fail "budget '$budget' is not explained"
done
for time in '' 6 06:60 24:00 tomorrow; do
  expect 2 1 --until "$time" --out "$tmp/unused"
  grep -q -- '--until: expected a time of day like 06:00' "$tmp/err" || fail "until '$time' is not explained"
done
expect 2 1 --until 06:00 --budget 10s --out "$tmp/unused"
expect 2 1 --ops nonsense --out "$tmp/unused"
grep -q -- '--ops: expected names of ulysses_pack, .*, got "nonsense"' "$tmp/err" || fail 'ops not explained'
expect 2 2 --engine nonsense --out "$tmp/unused"
expect 2 2 --jobs 0 --out "$tmp/unused"
expect 2 2 --seed x --out "$tmp/unused"
expect 2 2 --no-such-option
[ ! -e "$tmp/unused" ] || fail 'bad usage leaves a folder'

# Folders that cannot be written.
echo >"$tmp/file"
expect 2 1 --out "$tmp/file"
expect 2 1 --out "$tmp/file/below"
expect 2 1 --out /proc/none
[ -s "$tmp/err" ] || fail 'an unwritable folder is not explained'

# Files that cannot grow, from those of no byte on.
for blocks in 0 1 2 4 8 16; do
  out=$tmp/limit-$blocks
  mkdir "$out"
  (trap '' XFSZ
   ulimit -f $blocks
   exec "$campaign" --ops ulysses_pack --budget 60s --out "$out" 2>&1) | cat >"$tmp/out"
  : >"$tmp/err"
  whole_or_absent "$out"
  grep -q 'cannot write' "$tmp/out" || [ -e "$out/campaign.json" ] || fail "limit of $blocks blocks"
done

# A disk that is full, where this user may mount one.
if unshare -m true 2>/dev/null; then
  mkdir "$tmp/copy"
  for size in 8k 64k 200k; do
    unshare -m sh -c 'mount -t tmpfs -o size=$1 none "$2" || exit 77
      "$3" --ops ulysses_pack --budget 60s --out "$2/out" >"$4/out" 2>"$4/err"
      code=$?
      cp "$2"/out/*.tmp "$2/out/campaign.json" "$4/copy" 2>/dev/null
      exit $code' sh $size "$tmp/mount" "$campaign" "$tmp"
    code=$?
    [ $code = 77 ] && break
    case $code in 2 | 3) ;; *) fail "disk of $size: exit code $code" ;; esac
    [ "$(wc -l <"$tmp/err")" -le 1 ] || fail "disk of $size: more than one line"
    whole_or_absent "$tmp/copy"
  done
fi

# Signals, with the real fuzzers.
work=$tmp/root/corpus/.work
start() { # folder
  rm -rf "$work"
  "$campaign" --ops ulysses_pack --budget 600s --jobs 2 --out "$1" >"$tmp/out" 2>"$tmp/err" &
  pid=$!
  until_true 'both fuzzers keep inputs' \
    'ls "$work"/ulysses_pack_validate/* "$work"/ulysses_pack_execute/* >/dev/null 2>&1'
  children=$(cat "/proc/$pid/task/$pid/children")
  # shellcheck disable=SC2086
  [ "$(echo $children | wc -w)" = 2 ] || fail "not two fuzzers: $children"
}
gone() { # process
  ! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null
}
all_gone() {
  for child in $children; do gone "$child" || return 1; done
  children=
}
for profile in validate execute; do
  ln -sf "$3/ulysses_pack_${profile}_fuzzer" "$tmp/programs"
done

start "$tmp/interrupted"
kill -INT "$pid"
wait "$pid"
code=$?
pid=
[ $code = 130 ] || fail "interrupted: exit code $code"
all_gone || fail 'interrupted: a fuzzer is left'
whole_or_absent "$tmp/interrupted"
grep -q '"ended": true' "$tmp/interrupted/campaign.json" || fail 'an interrupted one has not ended'
grep -q '"interrupted": true' "$tmp/interrupted/campaign.json" || fail 'the file does not say so'
grep -q '"executions": [1-9]' "$tmp/interrupted/campaign.json" || fail 'the counts are lost'

start "$tmp/killed"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
pid=
until_true 'the fuzzers die with the campaign' all_gone
[ -n "$(ls "$work/ulysses_pack_execute")" ] || fail 'what was found is lost'
whole_or_absent "$tmp/killed"
for text in '"ended": false' '"verdict": "untrusted"' '"the campaign did not end"'; do
  grep -q "$text" "$tmp/killed/campaign.json" || fail "a killed campaign's file does not say $text"
done

finish
