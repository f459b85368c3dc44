#!/bin/sh
# Every function of the CUDA runtime that an object calls stands in the list: counted, or harmless
# with a reason. usage: runtime_calls_test.sh LIST FOLDER_OF_OBJECTS
set -eu
list=$1
known=$(mktemp)
called=$(mktemp)
trap 'rm -f "$known" "$called"' EXIT
sed -n -e 's/^COUNTED([a-zA-Z]*, \([a-zA-Z_]*\),.*/\1/p' \
  -e 's/^COUNTED_PTSZ([a-zA-Z]*, \([a-zA-Z_]*\),.*/\1_ptsz/p' \
  -e 's/^HARMLESS(\([a-zA-Z_]*\), "..*")$/\1/p' "$list" | sort -u >"$known"
# The benchmarks time the device by themselves, and no verdict depends on them.
find "$2" -name '*.o' ! -path '*/bench/*' -exec nm --undefined-only {} + 2>/dev/null |
  sed -n 's/^ *U \(__real_\)\{0,1\}\(\(__\)\{0,1\}cu[a-zA-Z_]*\)$/\2/p' |
  grep -E '^(__)?cu(da)?[A-Z]' | grep -v '^cupti' | sort -u >"$called"
[ "$(wc -l <"$called")" -ge 10 ] || { echo "only $(wc -l <"$called") calls found: is this the folder?" >&2; exit 1; }
unknown=$(comm -13 "$known" "$called")
[ -z "$unknown" ] || {
  echo "not in $list: $unknown; add each as COUNTED, or as HARMLESS with the reason" >&2
  exit 1
}
echo "$(wc -l <"$called") functions of the runtime are called, all known"
