// What the tests of this folder share: a folder that goes away, a program run to its end, small
// runs.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace prelaunch::reports {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "prelaunch.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return (path_ / name).string();
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

// Starts a program with standard output and error in files of `folder` ("out", "err").
inline pid_t start_program(const TemporaryFolder& folder, std::vector<std::string> argv) {
  std::vector<char*> pointers;
  for (std::string& argument : argv) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const std::string out = (folder / "out").string(), err = (folder / "err").string();
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  ::execv(pointers[0], pointers.data());
  ::_exit(99);
}

// Its exit status; -1 when a signal killed it.
inline int wait_program(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline int run_program(const TemporaryFolder& folder, const std::vector<std::string>& argv) {
  return wait_program(start_program(folder, argv));
}

inline std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// A campaign of one target; `verdict` and the target's findings are JSON.
inline std::string small_campaign(const std::string& verdict, const std::string& findings = "[]") {
  return R"({"schema": "prelaunch.campaign/1", "verdict": ")" + verdict + R"(", "reasons": [],
    "context": {"commit": "3f9ac21b77de", "dirty": false, "gpu": null, "seed": 7, "seconds": 61},
    "targets": [{"op": "pack", "profile": "validate", "engine": "libfuzzer", "executions": 1234567,
      "seconds": 60, "executions_per_second": 20576.1, "accepted": 1, "rejected": 3, "corpus": 5,
      "features": 6, "rules_fired": {"pack.q.cuda": 3, "pack.q.rank": 0}, "findings": )" +
         findings + "}]}";
}

inline const char* const kSmallFinding =
    R"([{"id": "f1", "reason": "out unwritten", "rule": null, "call": "corpus/f1.json",
         "replay": "./prelaunch replay corpus/f1.json"}])";

inline const char* const kSmallBench = R"({"context": {"host_name": "lab1"}, "benchmarks": [
  {"name": "validation/pack/accept/b1", "real_time": 4.4, "time_unit": "ns", "allocations": 0},
  {"name": "validation/pack/handwritten/b1", "real_time": 4.0, "time_unit": "ns"}]})";

// The same campaign as one of a machine and of a time, in UTC; it ended.
inline std::string campaign_at(const std::string& started, const std::string& findings = "[]",
                               const std::string& machine = "lab1") {
  std::string text = small_campaign(findings == "[]" ? "clean" : "findings", findings);
  const std::string context =
      R"("ended": true, "machine": ")" + machine + R"(", "started": ")" + started + R"(", "dirty")";
  return text.replace(text.find("\"dirty\""), 7, context);
}

// A triage of one bucket that holds these findings (JSON).
inline std::string small_triage(const std::string& id, const std::string& findings) {
  return R"({"schema": "prelaunch.triage/1", "seconds": 2.5, "buckets": [{"id": ")" + id +
         R"(", "op": "pack", "reason": "out unwritten", "rule": null, "frames": ["f"],
      "description": "out[3] is never written", "call": "triage/b.json", "test": "triage/b.cc",
      "replay": "./prelaunch replay b", "reproduced": true, "findings": )" +
         findings + R"(, "also": ["as a crash"]}]})";
}

inline const char* const kSmallProbe = R"({"schema": "prelaunch.probe/1", "seed": 7, "targets": [
  {"op": "pack", "profile": "validate", "planted": "deletion:17", "what": "rule q.cuda left out",
   "found": true, "reason": "accepted a bad call", "seconds": 0.25, "limit": 60}]})";

inline const char* const kSmallCoverage = R"({"data": [{"files": [
  {"filename": "/home/x/kernels/pack/contract.h", "summary": {
    "lines": {"count": 50, "covered": 49, "percent": 98},
    "branches": {"count": 20, "covered": 20, "percent": 100}}}], "totals": {}}],
  "type": "llvm.coverage.json.export", "version": "2.0.1"})";

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace prelaunch::reports
