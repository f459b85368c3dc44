// Replays stored calls: what `prelaunch replay` does for each file.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/json.h"

namespace prelaunch::fuzz {

struct StoredCall {
  std::filesystem::path path;
  const OpInfo* op;
  NamedCall named;
};

// Reads one file. Throws FileError, whose message names the file, for whatever is wrong with it.
StoredCall load_call(const std::filesystem::path& path);

// Every *.json below the given folders, and the given files themselves, in order.
std::vector<std::filesystem::path> call_files(const std::vector<std::filesystem::path>& inputs);

struct Replayed {
  // False when the process that judged the call ended before it had a verdict: a fault.
  bool judged = false;
  bool finding = false;
  // Accepted, and too large for the emulator or in no memory that it could give.
  bool not_run = false;
  // Why it is one, and the particulars, in one line; empty when it is none.
  std::string reason, detail;
  // Readable lines, and the same as one JSON object.
  std::string text, json;
};

// How a call is to be judged.
using OptionsOf = std::function<JudgeOptions(const StoredCall&)>;
// Takes what became of a call; false ends the replay.
using Take = std::function<bool(const StoredCall&, const Replayed&)>;

// Judges the calls in order, in a child process, so that a fault ends only that one and another
// goes on behind the call; its report goes to stderr.
void replay_each(std::span<const StoredCall> calls, const OptionsOf& options_of, const Take& take);

// The same for one.
Replayed replay(const StoredCall& stored, const JudgeOptions& options);

// Rules of `op` that can be left out of the contract without any of `calls` getting another
// verdict.
std::vector<std::size_t> unnoticed_rules(const OpInfo& op, const std::vector<StoredCall>& calls);

}  // namespace prelaunch::fuzz
