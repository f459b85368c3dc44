#!/bin/sh
# check_calls.sh PROGRAM OP...: accepting a call of each op is straight code. Then the same question
# about functions that are known to call, so that a reader of nothing cannot pass.
set -eu
program=$1
shift
here=$(dirname "$0")
listing=$(mktemp)
trap 'rm -f "$listing"' EXIT
objdump -d --no-show-raw-insn --demangle --section=.text "$program" >"$listing"

calls() { awk -v FUNCTION="$1" -f "$here/calls.awk" "$listing"; }

# expect_calls FUNCTION TEXT: the function is found to call, and the finding shows TEXT.
expect_calls() {
  status=0
  found=$(calls "$1") || status=$?
  case $status:$found in
    1:*"$2"*) ;;
    *) echo "self-check: $1 was expected to call $2, got exit $status: $found" && exit 3 ;;
  esac
}

for op; do
  calls "prelaunch::check<prelaunch::$op::Op>" || exit 1
  expect_calls "prelaunch::check_without<prelaunch::$op::Op>" call
done
expect_calls prelaunch::explain "operator new"
status=0
calls prelaunch::no_such_function >/dev/null || status=$?
[ "$status" = 2 ] || { echo "self-check: a missing function was not missed" && exit 3; }
echo "straight code: $*"
