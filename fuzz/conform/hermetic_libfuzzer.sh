#!/bin/sh
# Makes a libFuzzer that goes with any C++ library, as clusters have one. Debian's is made with
# libstdc++: linked in here and hidden, it meets no other.
# usage: hermetic_libfuzzer.sh OUT.o
set -eu
part() { clang++-19 -print-file-name="$1"; }
ld -r --force-group-allocation -o "$1" --whole-archive \
  "$(part lib/linux/libclang_rt.fuzzer-x86_64.a)" --no-whole-archive "$(part libstdc++.a)"
llvm-objcopy-19 -w --keep-global-symbol=main --keep-global-symbol='LLVMFuzzer*' \
  --keep-global-symbol='__sanitizer_*' "$1"
