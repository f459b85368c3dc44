// campaign.json, as the page reads it: a text is refused in one printable line, or is a campaign
// that is called clean only where calls were run and nothing was found.
#include "kernels/common/property.h"
#include "reports/run.h"

using namespace prelaunch;
using namespace prelaunch::reports;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    RunFiles run;
    run.campaign = parse_campaign({reinterpret_cast<const char*>(data), size});
    const Campaign& campaign = *run.campaign;
    const Headline head = headline(run);
    if (head.verdict != RunVerdict::kClean) return 0;
    claim(campaign.verdict == RunVerdict::kClean, "a headline is no better than the campaign");
    claim(!campaign.targets.empty(), "clean: there were targets");
    claim(campaign.context.get("ended") != "false", "clean: the campaign ended");
    for (const Target& target : campaign.targets) {
      claim(target.executions > 0 && target.findings.empty(), "clean: calls, and no finding");
    }
  } catch (const JsonError& error) {
    claim_line(error.what());
  }
  return 0;
}
