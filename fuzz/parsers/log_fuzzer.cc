// A fuzzer's log: whatever it holds, the reason may name a file, the rest is printable, and the
// report on an input is whole lines from before the input was written.
#include "fuzz/campaign/finding.h"
#include "fuzz/campaign/gather.h"
#include "fuzz/campaign/log.h"
#include "kernels/common/property.h"

using namespace prelaunch;
using namespace prelaunch::fuzz;

namespace {

void check(const LogFinding& found) {
  const std::string id = finding_id(*all_ops()[0], Profile::kValidate, found);
  claim(is_finding_id(id) && is_finding_id("corpus-" + id), "a reason may name a file");
  claim_shown(found.rule);
  claim_shown(found.detail);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kInput = "crash-0";
  const std::string_view log(reinterpret_cast<const char*>(data), size);
  const std::string_view report = report_on(log, kInput);
  claim(report.empty() || report.ends_with('\n'), "a report is whole lines");
  claim(report.empty() || log.find(kInput) >= std::size_t(report.end() - log.begin()),
        "a report comes before its input's name");
  check(read_finding(log));
  check(read_finding(report));
  claim(read_progress(std::string(log) + "\n#1 NEW ft: 12 corp: 3/4b").features == 12,
        "the last line tells the progress");
  return 0;
}
