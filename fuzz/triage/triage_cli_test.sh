#!/bin/sh
# What `prelaunch triage` says and writes, for a finding of every op: usage, exit codes, and C++ tests
# that compile.
# usage: triage_cli_test.sh PRELAUNCH-TRIAGE CORPUS SOURCES GENERATED
set -u
triage=$1 corpus=$2 sources=$3 generated=$4
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() { echo "FAILED: $1" >&2; failed=1; }
expect() { # exit code, arguments
  code=$1
  shift
  "$triage" "$@" >"$tmp/out" 2>"$tmp/err"
  got=$?
  [ $got = "$code" ] || { fail "triage $*: expected exit $code, got $got"; cat "$tmp/out" "$tmp/err" >&2; }
}

expect 0 --help
expect 2 "$tmp"
grep -q 'expected campaign.json or findings/' "$tmp/err" || fail 'a folder without a campaign is not explained'
expect 2 "$tmp/missing"
expect 2 --colour

# A good call of each op that is said to be bad: what a hole in a contract looks like.
mkdir -p "$tmp/run/findings"
for op in "$corpus"/*; do
  op=$(basename "$op")
  call=$(grep -l '"verdict": "accept"' "$corpus/$op"/seed/*.json | tail -n 1)
  sed 's/"verdict": "accept"/"verdict": "reject"/' "$call" >"$tmp/run/findings/$op-validate-x-1.json"
done
expect 1 "$tmp/run"
[ "$(grep -c '^BUG ' "$tmp/out")" = "$(ls "$corpus" | wc -l)" ] || { fail 'not one bug for each op'; cat "$tmp/out" >&2; }
for test in "$tmp"/run/triage/*.cc; do
  clang++-19 -std=c++20 -Wall -Wextra -Werror -fsyntax-only -DPRELAUNCH_EMULATED -I"$sources" -I"$generated" "$test" ||
    fail "$test does not compile"
done

# What a call says of itself names no file; what cannot be a finding is not passed over.
mkdir -p "$tmp/hostile/findings"
call=$(grep -l '"verdict": "accept"' "$corpus"/ulysses_pack/seed/*.json | tail -n 1)
sed 's|"why": ".*"|"why": "../../../../out/of it: it is"|' "$call" >"$tmp/hostile/findings/ulysses_pack-execute-x-1.json"
expect 1 "$tmp/hostile"
ls "$tmp"/hostile/triage/ulysses_pack-finding-????????.json >/dev/null || fail 'a reason that is none names a file'
cp "$call" "$tmp/hostile/findings/dotted.name.json"
expect 3 "$tmp/hostile"
grep -q 'dotted.name.json: expected a file' "$tmp/out" || fail 'a name with a dot is passed over'

# Half a call.
echo '{' >"$tmp/run/findings/ulysses_pack-validate-x-2.json"
expect 3 "$tmp/run"
exit $failed
