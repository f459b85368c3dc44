#!/bin/sh
# The probe as a user meets it. Usage: probe_cli_test.sh PROGRAM
. "$(dirname "$0")/../cli_test.sh"
program=$1

expect() { # exit code, arguments...
  wanted=$1
  shift
  run_program "$program" "$@"
  [ $got = "$wanted" ] || fail "$*: exit code $got, not $wanted"
}
one_complaint() { # text
  [ "$(wc -l <"$tmp/err")" = 1 ] || fail 'standard error has not one line'
  complains "$1"
}

expect 0 --help
says 'Example: prelaunch probe'
expect 2 --ops nothing
one_complaint '--ops: expected names of ulysses_pack, .*, got "nothing"'
for limit in 0s 2h x -1 1000m; do
  expect 2 --limit "$limit"
  one_complaint '--limit'
done
expect 2 --json "$tmp/none/probe.json"
one_complaint 'none/probe.json: cannot write'

expect 0 --ops ulysses_pack --seed 7 --json "$tmp/probe.json"
says '^seed 7: '
says '^ulysses_pack_validate: deletion:[0-9]* (rule ulysses_pack\..* left out) found after .* s, '
says '^ulysses_pack_execute: fault:[0-9]* (.*) found after .* s, '
[ "$(grep -c '"found": true' "$tmp/probe.json")" = 2 ] || fail 'not both are found in the file'

# Fuzzers that stand in for the others: what they are asked for, and what becomes of each end.
cp "$program" "$tmp"
program=$tmp/$(basename "$program")
fuzzer() { # what it does
  printf '#!/bin/sh\n%s\n' "$1" >"$tmp/ulysses_pack_planted_fuzzer"
  chmod +x "$tmp/ulysses_pack_planted_fuzzer"
}
fuzzer "echo \$PRELAUNCH_PROFILE \$PRELAUNCH_PLANTED \"\$@\" >>$tmp/asked
[ \$PRELAUNCH_PROFILE = execute ] || exit 0
echo 'prelaunch finding: op=ulysses_pack reason=wrong_result rule=none detail=x' >&2; exit 1"
expect 3 --ops ulysses_pack --seed 7 --limit 2m --json "$tmp/missed.json"
one_complaint '^prelaunch probe: ulysses_pack_validate did not find the bug planted to test it within 120 s (deletion:[0-9]*: rule .* left out)$'
says '^ulysses_pack_validate: .* NOT FOUND$'
says '^ulysses_pack_execute: .* found after .* s, wrong_result$'
grep -q '"found": false' "$tmp/missed.json" || fail 'the file does not say what was missed'
grep -q '^validate deletion:.* -max_total_time=120' "$tmp/asked" || fail 'validate is asked for something else'
grep -q '^execute fault:.* -max_total_time=120' "$tmp/asked" || fail 'execute is asked for something else'
grep -o '"planted": "[a-z:0-9]*"' "$tmp/probe.json" "$tmp/missed.json" | sort -u -t: -k2 | wc -l |
  grep -qx 2 || fail 'a seed does not plant the same again'

# Without --seed it is another one each time.
fuzzer 'exit 0'
expect 3 --ops ulysses_pack
first=$(head -n 1 "$tmp/out")
expect 3 --ops ulysses_pack
[ "$first" = "$(head -n 1 "$tmp/out")" ] && fail 'two runs have one seed'

fuzzer 'exit 5'
expect 3 --ops ulysses_pack
one_complaint 'ulysses_pack_planted_fuzzer ended with exit code 5 and reported nothing'
rm "$tmp/ulysses_pack_planted_fuzzer"
expect 3 --ops ulysses_pack
one_complaint 'ulysses_pack_planted_fuzzer ended with exit code 127'

fuzzer 'exec sleep 60'
"$program" --ops ulysses_pack >"$tmp/out" 2>"$tmp/err" &
until_true 'it begins' 'grep -q seed "$tmp/out"'
kill -TERM $!
wait $!
got=$?
[ $got = 130 ] || fail "ended: exit code $got, not 130"
finish
