// prelaunch-nightly: campaign, benchmarks, page. See --help.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "kernels/common/escape.h"
#include "kernels/common/provenance.h"
#include "reports/files.h"
#include "reports/nightly.h"

namespace {

using namespace prelaunch::reports;
using prelaunch::visible;
namespace fs = std::filesystem;

int complain(Outcome outcome, const std::string& what) {
  std::fprintf(stderr, "prelaunch nightly: %s\n", visible(what).c_str());
  return outcome;
}

// Absolute, so that a name such as "-x" can never be taken for an option by the programs run.
fs::path run_folder(const NightlyOptions& options) {
  if (options.out) return fs::absolute(*options.out).lexically_normal();
  return prelaunch::default_run_folder(prelaunch::checkout());
}

int run(const NightlyOptions& options) {
  const fs::path folder = run_folder(options);
  const auto programs = find_programs();
  if (const auto* missing = std::get_if<std::string>(&programs)) {
    return complain(kCannotTrust, "the result cannot be trusted: " + *missing);
  }
  make_writable_folder(folder);
  const Outcome outcome = run_night(std::get<Programs>(programs), options, folder);
  if (std::fflush(stdout) != 0)
    return complain(worst({outcome, kCannotTrust}), "standard output: cannot be written");
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader of our output that goes away must not cost the page.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const auto parsed = parse_nightly_options(argc, argv);
    if (const auto* help = std::get_if<HelpText>(&parsed))
      return std::fputs(help->text.c_str(), stdout) < 0;
    if (const auto* error = std::get_if<UsageError>(&parsed)) {
      return complain(kBadUsage, error->text + " (--help tells the usage)");
    }
    return run(std::get<NightlyOptions>(parsed));
  } catch (const FileError& error) {
    return complain(kBadUsage, error.what());
  } catch (const std::exception& error) {
    return complain(kCannotTrust, error.what());
  }
}
