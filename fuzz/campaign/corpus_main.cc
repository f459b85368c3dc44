// prelaunch-corpus: turns the readable corpus into the fuzzers' and back.
#include <fmt/format.h>

#include "fuzz/campaign/tool.h"
#include "fuzz/codec.h"
#include "fuzz/dictionary.h"
#include "fuzz/files.h"
#include "fuzz/json.h"
#include "fuzz/pack.h"
#include "fuzz/seeds.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;

// Writes the seed corpus that the op's cases and rules give, and removes what they no longer give.
void write_seeds(const OpInfo& op, const fs::path& corpus) {
  const fs::path dir = corpus / op.name / "seed";
  make_folder(dir);
  std::vector<fs::path> stale = list_files(dir, ".json");
  for (const NamedCall& named : seeds(op)) {
    const fs::path path = dir / (named.name + ".json");
    write_file(path, format_call(op, named));
    std::erase(stale, path);
  }
  for (const fs::path& path : stale) fs::remove(path);
}

void pack(const OpInfo& op, const fs::path& corpus, const fs::path& out, const fs::path& words) {
  const std::vector<NamedCall> calls = stored_calls(op, corpus);
  pack_calls(op, calls, out);
  if (!words.empty()) write_file(words, dictionary(op, calls));
}

// One input of a fuzzer as a JSON call on standard output.
void print_json(const OpInfo& op, const fs::path& input) {
  const std::string bytes = read_file(input, kMaxCallBytes);
  NamedCall named;
  named.expect =
      decode(op, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, named.call);
  named.why = "found by a fuzzer";
  canonical(op, named.call);
  fmt::print("{}", format_call(op, named));
}

const OpInfo& op_named(const std::string& name) {
  if (const OpInfo* op = find_op(name)) return *op;
  throw FileError(fmt::format("expected the name of an op, got \"{}\"", name));
}

int run(int argc, char** argv) {
  CLI::App app("Turns the readable corpus into the fuzzers' inputs and back.", "prelaunch corpus");
  app.require_subcommand(1);
  std::string op;
  fs::path corpus, out, words, input;
  CLI::App* pack_command =
      app.add_subcommand("pack", "Write each call of CORPUS as bytes into OUT");
  pack_command->add_option("op", op)->required();
  pack_command->add_option("corpus", corpus)->required();
  pack_command->add_option("out", out)->required();
  pack_command->add_option("--dictionary", words,
                           "Write to this file what the calls hold, as words for an engine");
  CLI::App* seeds_command =
      app.add_subcommand("seeds", "Rewrite CORPUS/<op>/seed from the op's cases and rules");
  seeds_command->add_option("op", op)->required();
  seeds_command->add_option("corpus", corpus)->required();
  CLI::App* json_command = app.add_subcommand("json", "Print a fuzzer's input as a JSON call");
  json_command->add_option("op", op)->required();
  json_command->add_option("input", input)->required();
  app.footer("Example: prelaunch corpus json ulysses_pack crash-1234");
  if (const auto code = parse_ended(app, argc, argv)) return *code;
  if (*pack_command) pack(op_named(op), corpus, out, words);
  if (*seeds_command) write_seeds(op_named(op), corpus);
  if (*json_command) print_json(op_named(op), input);
  return 0;
}

}  // namespace
}  // namespace prelaunch::fuzz

int main(int argc, char** argv) {
  return prelaunch::fuzz::run_tool("prelaunch corpus", prelaunch::fuzz::run, argc, argv);
}
