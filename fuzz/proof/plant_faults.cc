#include "fuzz/proof/plant_faults.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMaxFile = std::size_t{1} << 20;

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

void expect_texts(const Json& fault) {
  for (const char* key : {"name", "what", "file", "find", "put"}) {
    if (fault.is_object() && fault.contains(key) && fault[key].is_string()) continue;
    throw FileError(fmt::format("expected an object with a text \"{}\"", key));
  }
}

// Replaces the one place of `find`.
void plant(std::string& source, const Json& fault, std::size_t number) {
  const auto find = fault.at("find").get<std::string>();
  auto put = fault.at("put").get<std::string>();
  const std::size_t at = find.empty() ? source.npos : source.find(find);
  if (at == source.npos || source.find(find, at + 1) != source.npos) {
    throw FileError(fmt::format("expected once in {}, found {}: \"{}\"",
                                fault.at("file").get<std::string>(),
                                at == source.npos ? "never" : "several times", find));
  }
  if (put.find("FAULT") == put.npos) throw FileError("expected FAULT in \"" + put + "\"");
  replace_all(put, "FAULT", fmt::format("::prelaunch::planted::fault({})", number));
  source.replace(at, find.size(), put);
}

}  // namespace

std::vector<SourceFault> plant_faults(const fs::path& root, const std::string& op,
                                      const fs::path& out) {
  const fs::path from = root / "kernels" / op, list = from / "faults.json";
  std::map<std::string, std::string> sources;
  sources["kernel.cu"] = read_file(from / "kernel.cu", kMaxFile);
  std::vector<SourceFault> faults;
  const Json all = Json::parse(read_file(list, kMaxFile), nullptr, false);
  if (!all.is_array()) throw FileError(list.string() + ": expected a JSON array of bugs");
  try {
    for (const Json& fault : all) {
      expect_texts(fault);
      const auto file = fault.at("file").get<std::string>();
      if (!sources.contains(file)) sources[file] = read_file(from / file, kMaxFile);
      plant(sources[file], fault, faults.size());
      faults.push_back({fault.at("name"), fault.at("what")});
    }
  } catch (const std::exception& error) {
    throw FileError(fmt::format("{}: bug {}: {}", list.string(), faults.size() + 1, error.what()));
  }
  make_folder(out / "kernels" / op);
  for (const auto& [file, source] : sources) {
    write_file(out / "kernels" / op / file, "#include \"fuzz/proof/planted.h\"\n" + source);
  }
  return faults;
}

}  // namespace prelaunch::fuzz
