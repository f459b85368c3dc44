#include "fuzz/campaign/answers.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace {

[[noreturn]] void cannot_start() {
  throw FileError(fmt::format("cannot start a child: {}", std::strerror(errno)));
}

void write_all(int file, const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = write(file, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(3);
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
}

// False where the file ends before that.
bool read_all(int file, void* data, std::size_t size) {
  char* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = read(file, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

std::string read_whole(int file) {
  std::string out;
  char chunk[4096];
  for (ssize_t n; (n = read(file, chunk, sizeof chunk)) != 0;) {
    if (n > 0) out.append(chunk, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  return out;
}

}  // namespace

Answers::Answers(std::size_t first, std::size_t count,
                 const std::function<std::string(std::size_t)>& answer) {
  int ends[2];
  if (pipe(ends) != 0) cannot_start();
  report_ = memfd_create("report", MFD_CLOEXEC);
  std::fflush(nullptr);
  child_ = fork();
  if (child_ == 0) {
    close(ends[0]);
    give(first, count, answer, ends[1]);
  }
  answers_ = ends[0];
  close(ends[1]);
  if (child_ < 0) cannot_start();
}

Answers::~Answers() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    static_cast<void>(end());
  }
  close(answers_);
  if (report_ >= 0) close(report_);
}

void Answers::give(std::size_t first, std::size_t count,
                   const std::function<std::string(std::size_t)>& answer, int out) const {
  if (report_ >= 0) dup2(report_, STDERR_FILENO);
  for (std::size_t i = first; i < count; ++i) {
    const std::string text = answer(i);
    const std::size_t size = text.size();
    write_all(out, &size, sizeof size);
    write_all(out, text.data(), size);
  }
  _exit(0);
}

std::optional<std::string> Answers::next() {
  std::size_t size = 0;
  if (!read_all(answers_, &size, sizeof size)) return std::nullopt;
  std::string text(size, '\0');
  if (!read_all(answers_, text.data(), size)) return std::nullopt;
  return text;
}

Answers::End Answers::end() {
  End out{0, ""};
  while (waitpid(child_, &out.status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  if (report_ < 0) return out;
  lseek(report_, 0, SEEK_SET);
  out.report = read_whole(report_);
  return out;
}

}  // namespace prelaunch::fuzz
