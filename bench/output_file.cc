#include "bench/output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace prelaunch::bench {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& why) {
  throw OutputError(fmt::format("{}: {}", path.string(), why));
}

std::string last_error() { return std::generic_category().message(errno); }

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& target)
    : target_(target), temporary_(fmt::format("{}.{}.partial", target.string(), ::getpid())) {
  std::error_code ignored;
  if (std::filesystem::is_directory(target_, ignored)) fail(target_, "is a folder");
  if (!std::ofstream(temporary_)) fail(target_, last_error());
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void OutputFile::finish(std::string_view bytes) {
  std::ofstream out(temporary_, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) fail(target_, last_error());
  std::error_code error;
  std::filesystem::rename(temporary_, target_, error);
  if (error) fail(target_, error.message());
}

}  // namespace prelaunch::bench
