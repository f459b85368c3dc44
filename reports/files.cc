#include "reports/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "kernels/common/escape.h"

namespace prelaunch::reports {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, std::string_view what) {
  throw FileError(visible(fmt::format("{}: {}", path.string(), what)));
}

[[noreturn]] void fail_errno(const fs::path& path) { fail(path, std::strerror(errno)); }

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int get() const { return fd_; }
  // False when the system reports a write that failed late.
  bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

// A new file beside `path`, removed again unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& path)
      : target_(path),
        name_((path.parent_path() / ("." + path.filename().string() + ".XXXXXX")).string()),
        fd_(::mkostemp(name_.data(), O_CLOEXEC)) {
    if (fd_.get() < 0) fail_errno(target_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (!renamed_) ::unlink(name_.c_str());
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail_errno(target_);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void rename() {
    const bool written = ::fchmod(fd_.get(), 0644) == 0 && ::fsync(fd_.get()) == 0 && fd_.close();
    if (!written || ::rename(name_.c_str(), target_.c_str()) != 0) fail_errno(target_);
    renamed_ = true;
  }

 private:
  fs::path target_;
  std::string name_;
  Descriptor fd_;
  bool renamed_ = false;
};

// Reads to the end, or to one byte more than the bound.
std::string read_bounded(int fd, const fs::path& path) {
  std::string bytes;
  char chunk[1 << 16];
  while (bytes.size() <= kMaxFileBytes) {
    const ssize_t got = ::read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_errno(path);
    if (got == 0) break;
    bytes.append(chunk, static_cast<std::size_t>(got));
  }
  return bytes;
}

}  // namespace

std::optional<std::string> read_file(const fs::path& path) {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would never return.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0 && errno == ENOENT) return std::nullopt;
  struct stat status{};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0) fail_errno(path);
  if (!S_ISREG(status.st_mode)) fail(path, "not a regular file");
  std::string bytes = read_bounded(fd.get(), path);
  if (bytes.size() > kMaxFileBytes) fail(path, "larger than 64 MiB");
  return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
  TemporaryFile file(path);
  file.write(bytes);
  file.rename();
}

void make_writable_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(folder, error.message());
  check_folder(folder);
  const TemporaryFile trial(folder / "writable");
}

void check_folder(const fs::path& folder) {
  std::error_code error;
  const bool is_folder = fs::is_directory(folder, error);
  if (!is_folder) fail(folder, fs::exists(folder, error) ? "not a folder" : "no such folder");
}

void remove_file(const fs::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail_errno(path);
}

}  // namespace prelaunch::reports
