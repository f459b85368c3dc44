#include "fuzz/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace prelaunch::fuzz {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& path, std::string_view what, int error) {
  throw FileError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(error)));
}

// What a new file may take the place of: nothing else is replaced, and a link stays one.
fs::path target_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) fail(path, "cannot write", EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw FileError(fmt::format("{}: expected a regular file", path.string()));
  }
  const fs::path target = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
  return error ? path : target;
}

fs::path temporary_of(const fs::path& path) {
  return fmt::format("{}.{}.tmp", path.string(), getpid());
}

}  // namespace

std::string read_file(const fs::path& path, std::size_t limit) {
  // Opening a pipe or a device could wait for ever.
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) fail(path, "cannot read", EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw FileError(fmt::format("{}: expected a regular file", path.string()));
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, "cannot read", errno);
  std::string content(limit + 1, '\0');
  in.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) fail(path, "cannot read", EIO);
  if (content.size() > limit) {
    throw FileError(fmt::format("{}: expected at most {} bytes", path.string(), limit));
  }
  return content;
}

void write_file(const fs::path& named, std::string_view content) {
  const fs::path path = target_of(named);
  const fs::path temporary = temporary_of(path);
  {
    errno = 0;
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.flush();
    if (!out) {
      const int cause = errno != 0 ? errno : EIO;
      std::error_code ignored;
      fs::remove(temporary, ignored);
      fail(path, "cannot write", cause);
    }
  }
  std::error_code error;
  fs::rename(temporary, path, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  fail(path, "cannot write", error.value());
}

void expect_writable(const fs::path& named) {
  const fs::path path = target_of(named), temporary = temporary_of(path);
  errno = 0;
  if (!std::ofstream(temporary, std::ios::binary)) fail(path, "cannot write", errno);
  std::error_code ignored;
  fs::remove(temporary, ignored);
}

std::vector<fs::path> list_files(const fs::path& dir, std::string_view extension) {
  std::error_code error;
  std::vector<fs::path> out;
  for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error)) {
    if (!it->is_regular_file(error)) continue;
    if (extension.empty() || it->path().extension() == extension) out.push_back(it->path());
  }
  if (error) fail(dir, "cannot list", error.value());
  std::sort(out.begin(), out.end());
  return out;
}

void lock_folder(const fs::path& dir) {
  const int folder =
      open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // closed by the process's end
  if (folder < 0) fail(dir, "cannot open", errno);
  if (flock(folder, LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) fail(dir, "cannot lock", errno);
  throw FileError(fmt::format("{}: another run is writing to this folder", dir.string()));
}

void make_folder(const fs::path& dir) {
  std::error_code error;
  fs::create_directories(dir, error);
  if (error) fail(dir, "cannot create", error.value());
  if (access(dir.c_str(), W_OK) != 0) fail(dir, "cannot write to", errno);
}

}  // namespace prelaunch::fuzz
