// The strictest engine that a target may meet: it calls the target as every engine does, and ends
// with exit code 1 and a line on standard error at the first thing that no target may do.
//
//   strict_engine FILE...   the files, then strings of random bytes: any bytes are a call; then
//                           what the target's own mutator makes of them, without an engine's help
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// Null where a target has none.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data,
                                                                     std::size_t size,
                                                                     std::size_t max_size,
                                                                     unsigned seed);

namespace {

constexpr int kRandomInputs = 2000;
constexpr std::size_t kLongest = 1024;
constexpr std::chrono::seconds kSlowest{25};

void fail(const std::string& input, const char* what) {
  std::fprintf(stderr, "strict engine: %s: %s\n", input.c_str(), what);
  std::exit(1);
}

// The copy is of the exact size, so that a sanitizer sees a read past its end.
void try_input(const std::string& name, const std::vector<std::uint8_t>& bytes) {
  const std::vector<std::uint8_t> copy(bytes);
  const auto begun = std::chrono::steady_clock::now();
  const int result = LLVMFuzzerTestOneInput(copy.data(), copy.size());
  if (result != 0) fail(name, ("it returned " + std::to_string(result) + ", expected 0").c_str());
  if (copy != bytes) fail(name, "it changed its input");
  if (std::chrono::steady_clock::now() - begun > kSlowest) fail(name, "it took more than 25 s");
}

// xorshift64*: the same strings everywhere.
std::uint64_t draw(std::uint64_t& state) {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (state * 0x2545f4914f6cdd1du) >> 32;
}

// In memory of the exact size, too.
std::vector<std::uint8_t> mutated(const std::string& name, std::vector<std::uint8_t> bytes,
                                  std::size_t room, unsigned seed) {
  if (LLVMFuzzerCustomMutator == nullptr) return bytes;
  const std::size_t size = bytes.size();
  bytes.resize(room);
  std::vector<std::uint8_t> copy(bytes);
  const std::size_t mutated_size = LLVMFuzzerCustomMutator(copy.data(), size, room, seed);
  if (mutated_size == 0 || mutated_size > room) {
    fail(name, ("it was mutated to " + std::to_string(mutated_size) + " bytes").c_str());
  }
  copy.resize(mutated_size);
  return copy;
}

void try_random_inputs() {
  std::uint64_t state = 1337;
  for (int i = 0; i < kRandomInputs; ++i) {
    std::vector<std::uint8_t> bytes(i == 0 ? 0 : draw(state) % (kLongest + 1));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(draw(state) & 0xff);
    const std::string name = "random input " + std::to_string(i);
    try_input(name, bytes);
    const std::size_t room = bytes.size() + 1 + draw(state) % kLongest;
    try_input(name + ", mutated", mutated(name, bytes, room, static_cast<unsigned>(i)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    if (!in) fail(argv[i], "it cannot be read");
    try_input(argv[i], {std::istreambuf_iterator<char>(in), {}});
  }
  try_random_inputs();
  std::fprintf(stderr, "strict engine: %d inputs, all well\n", argc - 1 + kRandomInputs);
  return 0;
}
