// prelaunch-report DIR: the page of a run, from the files in its folder.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>

#include "kernels/common/escape.h"
#include "reports/files.h"
#include "reports/page.h"
#include "reports/previous.h"
#include "reports/run_files.h"

namespace {

using namespace prelaunch::reports;
using prelaunch::visible;

constexpr int kBadInput = 2;

int complain(const std::string& what) {
  std::fprintf(stderr, "prelaunch report: %s\n", what.c_str());
  return kBadInput;
}

// A night that ended before it had results has left its own file.
bool holds_a_run(const std::filesystem::path& folder) {
  std::error_code error;
  return std::ranges::any_of(
      std::array{kCampaignFile, kBenchFile, kNightFile},
      [&](const char* file) { return std::filesystem::exists(folder / file, error); });
}

// Against a folder that was named, or the last run beside it.
RunFiles read_compared(const std::filesystem::path& folder, const std::string& against) {
  RunFiles run = read_run(folder);
  if (against.empty())
    run.previous = find_previous(folder, run.campaign);
  else
    run.previous = read_previous(against);
  return run;
}

int make_report(const std::filesystem::path& folder, const std::string& against) {
  check_folder(folder);
  const std::filesystem::path page = folder / kPageFile;
  if (!holds_a_run(folder)) {
    return complain(visible(folder.string()) + ": neither campaign.json nor bench.json is there");
  }
  write_file(page, make_page(read_compared(folder, against)));
  std::printf("%s\n", visible(page.string()).c_str());
  return std::fflush(stdout) == 0 ? 0 : complain("standard output: cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  // A file size limit then fails the write, which is reported, instead of killing the process.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app(
      "Writes DIR/index.html, the page of a run, from the files in DIR: campaign.json,\n"
      "triage.json, probe.json, coverage.json, bench.json. What is absent, the page says.\n\n"
      "  ./prelaunch report reports/runs/2026-11-30-021500-lab1-3f9ac21b77de",
      "prelaunch report");
  std::string folder, against;
  app.add_option("DIR", folder, "the folder of the run")->required();
  app.add_option("--against", against,
                 "the folder of the run to compare with (default: the latest finished run of the "
                 "same machine beside DIR that started before it)")
      ->type_name("DIR")
      ->check([](const std::string& dir) { return dir.empty() ? "expected a folder" : ""; });
  try {
    app.parse(argc, argv);
    return make_report(folder, against);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return complain(visible(error.what()) + " (--help tells the usage)");
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}
