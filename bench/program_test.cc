// prelaunch-bench as its users meet it: names, files, exit codes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "prelaunch_ops.h"

namespace prelaunch::bench {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int status = -1;
  std::string output;  // standard output and error
};

Ended run(const std::string& arguments) {
  const std::string command = std::string(PRELAUNCH_BENCH_PROGRAM) + " " + arguments + " 2>&1";
  Ended ended;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return ended;
  char chunk[4096];
  for (std::size_t n; (n = std::fread(chunk, 1, sizeof chunk, pipe)) > 0;) {
    ended.output.append(chunk, n);
  }
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) ended.status = WEXITSTATUS(status);
  return ended;
}

// The line that says what is wrong: the only one but for what is left out without a GPU.
void expect_complaint(const std::string& arguments, int status, const std::string& what) {
  const Ended ended = run(arguments);
  EXPECT_EQ(ended.status, status) << arguments << ": " << ended.output;
  EXPECT_NE(ended.output.find(what), std::string::npos) << arguments << ": " << ended.output;
  EXPECT_LE(std::ranges::count(ended.output, '\n'), 2) << ended.output;
}

class Program : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("prelaunch_bench_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string in(const std::string& name) const { return (folder_ / name).string(); }

  nlohmann::json smoke(const std::string& arguments = "") {
    const Ended ended = run("--smoke --out " + in("bench.json") + " " + arguments);
    EXPECT_EQ(ended.status, 0) << ended.output;
    std::ifstream file(in("bench.json"));
    return nlohmann::json::parse(file);
  }

  fs::path folder_;
};

std::vector<std::string> names_with(const nlohmann::json& run, const std::string& part) {
  std::vector<std::string> names;
  for (const auto& entry : run.at("benchmarks")) {
    const std::string name = entry.at("name");
    if (name.find(part) != name.npos) names.push_back(name);
  }
  return names;
}

TEST_F(Program, RunsEveryKindOfEveryOpAndWritesValidJson) {
  const nlohmann::json run = smoke();
  Ops::for_each([&run]<class Entry>() {
    const std::string op = "validation/" + std::string(Entry::Op::kName);
    for (const char* what : {"normalise", "accept", "handwritten"}) {
      EXPECT_EQ(names_with(run, op + "/" + what + "/").size(), std::size(Entry::Cases::kCases));
    }
    for (const char* what : {"reject", "explain"}) {
      auto names = names_with(run, op + "/" + what + "/");
      EXPECT_EQ(names.size(), kRules<typename Entry::Op>.size());
      std::ranges::sort(names);
      EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << "two rules share a name";
    }
  });
}

TEST_F(Program, AcceptingAllocatesNothingAndTheCounterWouldSee) {
  for (const auto& entry : smoke().at("benchmarks")) {
    const std::string name = entry.at("name");
    if (name.find("/explain/") != name.npos) {
      EXPECT_GT(entry.at("allocations"), 0) << name;
    } else if (name.starts_with("validation/")) {
      EXPECT_EQ(entry.at("allocations"), 0) << name;
    }
  }
}

TEST_F(Program, TheContextSaysWhereTheFiguresAreFrom) {
  const nlohmann::json context = smoke("--filter accept").at("context");
  for (const char* key : {"commit", "machine", "cpu", "compiler", "flags", "build_type", "backend",
                          "started", "date"}) {
    ASSERT_TRUE(context.contains(key)) << key;
    EXPECT_NE(context.at(key), "") << key;
  }
  EXPECT_TRUE(context.at("dirty").is_boolean());
  EXPECT_TRUE(context.at("seed").is_number());
}

TEST_F(Program, NightsRunEveryCaseThreeRejectionsAndOneExplanation) {
  const std::string list = run("--nightly --list").output;
  Ops::for_each([&list]<class Entry>() {
    const std::string op = "validation/" + std::string(Entry::Op::kName);
    const auto count = [&](const std::string& part) {
      std::size_t found = 0;
      for (std::size_t at = 0; (at = list.find(part, at)) != list.npos; ++at) ++found;
      return found;
    };
    EXPECT_EQ(count(op + "/accept/"), std::size(Entry::Cases::kCases));
    EXPECT_EQ(count(op + "/reject/"), 3u);
    EXPECT_EQ(count(op + "/explain/"), 1u);
  });
}

TEST_F(Program, TheTableShowsRatiosAndNoColour) {
  const Ended ended = run("--smoke --filter '/(accept|handwritten)/'");
  EXPECT_NE(ended.output.find("ratio (min..max)"), std::string::npos);
  EXPECT_EQ(ended.output.find('\033'), std::string::npos);
}

TEST_F(Program, BadUsageIsOneLineAndExitsWithTwo) {
  expect_complaint("--ops no_such_op", 2, "--ops: expected the name of an op, got 'no_such_op'");
  expect_complaint("--filter '('", 2, "--filter: expected a regular expression, got '('");
  expect_complaint("--budget soon", 2, "--budget: expected a time like 60s or 30m, got 'soon'");
  expect_complaint("--budget 0", 2, "--budget");
  expect_complaint("--no-such-option", 2, "--no-such-option");
  expect_complaint("--nightly --full", 2, "nightly");
}

TEST_F(Program, AnUnwritableFileIsOneLineAndExitsWithTwoBeforeAnythingRuns) {
  expect_complaint("--smoke --out " + in("missing/bench.json"), 2, "No such file or directory");
  expect_complaint("--smoke --out " + in(""), 2, "is a folder");
}

TEST_F(Program, AFilterThatMatchesNothingExitsWithThreeAndLeavesTheOldFile) {
  std::ofstream(in("bench.json")) << "old";
  expect_complaint("--filter no_such_name --out " + in("bench.json"), 3, "nothing ran");
  std::string text;
  std::ifstream(in("bench.json")) >> text;
  EXPECT_EQ(text, "old");
}

TEST_F(Program, NothingIsLeftBesideTheResults) {
  smoke("--filter accept");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Program, HelpHasAnExample) {
  const Ended ended = run("--help");
  EXPECT_EQ(ended.status, 0);
  EXPECT_NE(ended.output.find("Example: prelaunch bench --ops"), std::string::npos);
}

}  // namespace
}  // namespace prelaunch::bench
