#!/bin/bash
# prelaunch-conform from outside, on a toy project: what conforms passes, and each thing that a
# target may not do is found and named.
# usage: conform_cli_test.sh PROGRAM
. "$(dirname "$0")/../cli_test.sh"
conform=$1
toy=$tmp/toy

expect() { # exit code, what must be said on either output, arguments...
  code=$1
  said=$2
  shift 2
  run_program "$conform" "$@"
  [ $got = "$code" ] || fail "conform $*: exit code $got, not $code"
  cat "$tmp/out" "$tmp/err" | grep -q -- "$said" || fail "conform $*: nothing says '$said'"
}

# A project of one op that conforms.
make_toy() {
  rm -rf "$toy"
  mkdir -p "$toy/fuzz/oss-fuzz"
  cat >"$toy/fuzz/toy_fuzzer.cc" <<'CC'
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

using Words = std::map<std::string, int>;

Words count_words(const std::string& text) {
  Words words;
  std::string word;
  for (const char c : text) {
    if (c >= 'a' && c <= 'z') {
      word += c;
    } else if (!word.empty()) {
      ++words[word];
      word.clear();
    }
  }
  if (words.count("begin") > 0 && words.count("end") > 0) words.erase("begin");
  return words;
}
// HERE

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size < 64 ? size : 64);
  const std::size_t found = count_words(text).size();
  return found > 64 ? 1 : 0;
}
CC
  cat >"$toy/fuzz/oss-fuzz/build.sh" <<'SH'
flags=$CXXFLAGS
object=$WORK/toy.o
[ -e "$object" ] || $CXX $flags -std=c++20 -c "$SRC/prelaunch/fuzz/toy_fuzzer.cc" -o "$object"
mkdir -p "$WORK/seeds"
printf abcd1 >"$WORK/seeds/one"
printf xyz >"$WORK/seeds/two"
for profile in validate execute; do
  target=$OUT/toy_${profile}_fuzzer
  $CXX $CXXFLAGS -static-libstdc++ -static-libgcc "$object" $LIB_FUZZING_ENGINE -o "$target"
  (cd "$WORK/seeds" && cmake -E tar cf "${target}_seed_corpus.zip" --format=zip one two)
  echo 'word="\x61\x62"' >"$target.dict"
  printf '# short\n[libfuzzer]\nmax_len = 64\n[asan]\ndetect_leaks = 1\n' >"$target.options"
done
# LAST
SH
}
break_target() { sed -i "$1" "$toy/fuzz/toy_fuzzer.cc"; }
break_build() { sed -i "$1" "$toy/fuzz/oss-fuzz/build.sh"; }
# The toy as it is now is broken, for a reason that is named.
expect_broken() { # what must be said, build
  expect 1 "$1" --source "$toy" --builds "${2:-libfuzzer-address}" --json "$tmp/json"
  grep -q -- "^BROKEN  ${2:-libfuzzer-address} *toy_" "$tmp/out" || fail "'$1': no target is named"
  grep -q '"ok": false' "$tmp/json" || fail "'$1': not in the JSON file"
  make_toy
}

# Usage.
expect 0 'Example: prelaunch conform' --help
expect 2 'not in' --builds nonsense
expect 2 'Directory does not exist' --source "$tmp/none"
mkdir "$tmp/empty" "$tmp/full" "$tmp/none-here"
echo >"$tmp/full/file"
expect 2 'expected an empty folder' --keep "$tmp/full"
mkdir "$tmp/none-here/fuzz"
expect 2 'expected a checkout with fuzz/\*_fuzzer.cc' --source "$tmp/none-here"

make_toy
expect 0 '2 targets of 1 builds, 0 broken' --source "$toy" --builds libfuzzer-address \
  --json "$tmp/json"
[ "$(grep -c '"ok": true' "$tmp/json")" = 2 ] || fail 'the JSON file does not hold two targets'

# Five deliberate violations.
break_target 's|// HERE|int main() { return count_words("x").empty(); }|'
expect_broken 'multiple definition of .*main'
break_target 's|// HERE|int main() { return count_words("x").empty(); }|'
expect_broken 'it has a main() of its own, from toy_fuzzer.cc' afl-address
break_target 's|  const std::size_t found|  if (FILE* file = std::fopen("/tmp/prelaunch-toy", "w")) std::fclose(file);\n&|'
expect_broken 'it opens /tmp/prelaunch-toy for writing'
rm -f /tmp/prelaunch-toy
break_build 's|# LAST|rm "$OUT/toy_execute_fuzzer_seed_corpus.zip"|'
expect_broken 'toy_execute_fuzzer_seed_corpus.zip is missing'
break_build 's|^flags=.*|flags=-O1|'
expect_broken 'built without instrumentation: 0 edges'
says ' calls of __asan\*: expected at least 1000'
break_target 's/found > 64/found > 0/'
expect_broken 'strict engine: .*: it returned 1, expected 0'

# Others; several at a time where they do not hide each other.
break_target 's|  const std::size_t found|  static int calls = 0;\n  if (++calls > 1900) __builtin_trap();\n&|'
break_build 's|# LAST|cp "$object" "$OUT/tool"; echo speed = 3 >"$OUT/toy_validate_fuzzer.options"|'
break_build 's|-static-libstdc++||'
expect_broken 'under the strict engine: exit code'
says 'tool does not belong in the outputs'
says "options: expected \[section\] or key = value, got 'speed = 3'"
says 'it needs libstdc++.so.6: expected everything but libc inside'
break_target 's|  const std::size_t found|  static int runs = 0;\n  if (++runs == 1900) { std::fprintf(stderr, "%p\\n", static_cast<void*>(\&runs)); std::_Exit(3); }\n&|'
expect_broken "two runs of one seed differ: '.*0x.*' and '.*0x.*'; with fixed addresses '.*0x"
break_target 's|  const std::size_t found|  static int runs = 0;\n  if (++runs == 1900) std::_Exit(3);\n&|'
expect_broken '-seed=1337 -runs=2000 fails: '
break_build 's|# LAST|rm "$OUT/toy_validate_fuzzer"; echo nonsense >"$OUT/toy_execute_fuzzer.dict"|'
break_build 's|max_len|mex_len|'
expect_broken 'it is missing from the outputs'
says 'its dictionary does not parse'
says 'options: \[libfuzzer\] knows no mex_len'
break_target 's|  const std::size_t found|  const_cast<std::uint8_t*>(data)[0] = 0;\n&|'
break_build 's|# LAST|echo nonsense >"$OUT/toy_validate_fuzzer_seed_corpus.zip"|'
expect_broken 'it changed its input\|overwrites-const-input'
says 'toy_validate_fuzzer_seed_corpus.zip is not a zip file'
break_target 's|// HERE|nonsense|'
expect_broken 'the build failed: .*error: '

# Ctrl-C in the middle leaves nothing.
TMPDIR=$tmp/empty "$conform" --source "$toy" --builds libfuzzer-address >"$tmp/out" 2>"$tmp/err" &
pid=$!
until_true 'the build starts' \
  'ls "$tmp"/empty/prelaunch-conform-*/libfuzzer-address/build.log >/dev/null 2>&1'
kill -TERM $pid
wait $pid
got=$?
[ $got = 130 ] || fail "interrupted: exit code $got, not 130"
[ -z "$(ls "$tmp/empty")" ] || fail 'interrupted: the temporary folder is left'

finish
