# What the tests of programs from outside share; sourced by them, in sh or bash.
#
#   . "$(dirname "$0")/../cli_test.sh"     # makes $tmp, which goes when the test ends
#   run_program "$program" --help          # its output in $tmp/out and $tmp/err, its exit code in $got
#   says 'usage'                           # counts a failure and shows both where it does not
#   finish                                 # exits with 1 after any failure
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

fail() {
  echo "FAILED: $1"
  sed 's/^/  /' "$tmp/out" "$tmp/err" 2>/dev/null | tail -n 20
  failures=$((failures + 1))
}
run_program() { # program, arguments...
  "$@" >"$tmp/out" 2>"$tmp/err"
  got=$?
}
says() { grep -q -- "$1" "$tmp/out" || fail "standard output does not say: $1"; }
complains() { grep -q -- "$1" "$tmp/err" || fail "standard error does not say: $1"; }
# Polls until a condition holds, for a minute at most.
until_true() { # what, condition
  tries=600
  until eval "$2"; do
    tries=$((tries - 1))
    if [ $tries = 0 ]; then
      fail "never: $1"
      return
    fi
    sleep 0.1
  done
}
finish() {
  [ $failures = 0 ] && echo "all as expected"
  exit $((failures > 0))
}
