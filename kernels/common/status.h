// The outcome of work that comes after acceptance: a failed launch or allocation. Never a
// violation.
#pragma once

#include <string>
#include <string_view>

namespace prelaunch {

class Status {
 public:
  Status() = default;
  // `doing` names the step ("launch", "allocate"); `error` is the backend's own text.
  static Status failure(std::string_view op, std::string_view doing, std::string_view error) {
    Status status;
    status.text_.append(op).append(": ").append(doing).append(" failed: ").append(error);
    return status;
  }
  bool ok() const { return text_.empty(); }
  // "ulysses_pack: launch failed: cudaErrorInvalidValue (invalid argument)"; empty when ok.
  const std::string& message() const { return text_; }

 private:
  std::string text_;
};

}  // namespace prelaunch
