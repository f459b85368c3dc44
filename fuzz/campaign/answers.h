// Answers of a child process, which may end before it has given them all. One that has lost its
// GPU's context (backing::is_lost) is replaced by another, unseen.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

namespace prelaunch::fuzz {

class Answers {
 public:
  // Forks: the child gives answer(i) for each i in [first, count), in order, until it ends. Throws
  // FileError where it cannot be started.
  Answers(std::size_t first, std::size_t count,
          const std::function<std::string(std::size_t)>& answer);
  // Ends a child that is still at it.
  ~Answers();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  // The next answer; nothing where the child ended before it, or when there are no more.
  std::optional<std::string> next();

  struct End {
    int status;          // as waitpid gives it
    std::string report;  // what the child wrote to standard error
  };
  // Waits for it.
  End end();

 private:
  void start();
  [[noreturn]] void give(int out) const;
  // Whether it has ended for want of a context.
  bool is_to_be_replaced();
  void wait();

  std::size_t next_, count_;
  std::function<std::string(std::size_t)> answer_;
  pid_t child_ = -1;
  int status_ = 0;
  int answers_ = -1, report_ = -1;
};

}  // namespace prelaunch::fuzz
