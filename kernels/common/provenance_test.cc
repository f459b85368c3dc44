#include "kernels/common/provenance.h"

#include <gtest/gtest.h>

namespace prelaunch {
namespace {

TEST(Provenance, RunNamesOnlyHoldWhatAShellLeavesAlone) {
  EXPECT_EQ(run_name(0, "lab 1/$x.local", "3f9ac21b77de4c08a1e2"),
            "1970-01-01-000000-lab-1--x-local-3f9ac21b77de");
  EXPECT_EQ(run_name(0, "", "fatal: not a git repository"), "1970-01-01-000000-unknown-nocommit");
}

TEST(Provenance, OutsideACheckoutTheCommitIsUnknown) {
  const Provenance provenance = read_provenance("/");
  EXPECT_EQ(provenance.commit, "unknown");
  EXPECT_FALSE(provenance.dirty);
  EXPECT_TRUE(default_run_folder("/").filename().string().ends_with("-nocommit"));
}

TEST(Provenance, NamesTheMachineAndTheBuild) {
  const Provenance provenance = read_provenance(checkout());
  for (const std::string& text : {provenance.machine, provenance.cpu, provenance.compiler,
                                  provenance.flags, provenance.build_type}) {
    EXPECT_FALSE(text.empty());
  }
  EXPECT_EQ(provenance.started.size(), std::string("2026-11-30T02:15:00Z").size());
  EXPECT_GT(provenance.cores, 0u);
}

}  // namespace
}  // namespace prelaunch
