// Findings stay open, night after night, until their calls are judged as they should be: each lies
// in corpus/.work/.findings from the moment that it is found. What a campaign that was killed had
// found, the next one so finds again.
#pragma once

#include <filesystem>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/ledger.h"
#include "fuzz/campaign/sighting.h"

namespace prelaunch::fuzz {

// An open finding that still shows.
struct OpenFinding {
  const OpInfo* op = nullptr;
  Profile profile = Profile::kExecute;
  Finding finding;
  Sighting seen;
};

// The folder, of a checkout.
std::filesystem::path open_findings_folder(const std::filesystem::path& root);

// Judges what lies in `folder` for these ops again: calls, <id>.json, and inputs that ended a
// fuzzer whose campaign was killed before they became calls. Those that show are written to
// OUT/findings/<id>.json and given back; the others go; those that the ledger has in quarantine
// stay, and are not judged. Calls that cannot be read are reasons in
// `untrusted`, and stay. Stops at an interrupt. Throws FileError.
std::vector<OpenFinding> recall_findings(const std::filesystem::path& folder,
                                         const std::vector<const OpInfo*>& ops,
                                         const Ledger& ledger, const std::filesystem::path& out,
                                         std::vector<std::string>& untrusted);

}  // namespace prelaunch::fuzz
