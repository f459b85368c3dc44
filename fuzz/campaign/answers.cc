#include "fuzz/campaign/answers.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "fuzz/backing.h"
#include "fuzz/files.h"

namespace prelaunch::fuzz {
namespace {

// No sanitizer ends a process so.
constexpr int kReplaceMe = 104;

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
                 const std::function<std::string(std::size_t)>& answer)
    : next_(first), count_(count), answer_(answer), report_(memfd_create("report", MFD_CLOEXEC)) {
  start();
}

void Answers::start() {
  int ends[2];
  if (pipe(ends) != 0) cannot_start();
  std::fflush(nullptr);
  child_ = fork();
  if (child_ == 0) {
    close(ends[0]);
    give(ends[1]);
  }
  answers_ = ends[0];
  close(ends[1]);
  if (child_ < 0) cannot_start();
}

Answers::~Answers() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    wait();
  }
  close(answers_);
  if (report_ >= 0) close(report_);
}

void Answers::give(int out) const {
  if (report_ >= 0) dup2(report_, STDERR_FILENO);
  for (std::size_t i = next_; i < count_; ++i) {
    const std::string text = answer_(i);
    const std::size_t size = text.size();
    write_all(out, &size, sizeof size);
    write_all(out, text.data(), size);
    if (backing::is_lost()) _exit(kReplaceMe);
  }
  _exit(0);
}

std::optional<std::string> Answers::next() {
  std::size_t size = 0;
  while (!read_all(answers_, &size, sizeof size)) {
    if (!is_to_be_replaced()) return std::nullopt;
    close(answers_);
    start();
  }
  std::string text(size, '\0');
  if (!read_all(answers_, text.data(), size)) return std::nullopt;
  ++next_;
  return text;
}

bool Answers::is_to_be_replaced() {
  wait();
  return next_ < count_ && WIFEXITED(status_) && WEXITSTATUS(status_) == kReplaceMe;
}

void Answers::wait() {
  while (child_ > 0 && waitpid(child_, &status_, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
}

Answers::End Answers::end() {
  wait();
  End out{status_, ""};
  if (report_ < 0) return out;
  lseek(report_, 0, SEEK_SET);
  out.report = read_whole(report_);
  return out;
}

}  // namespace prelaunch::fuzz
