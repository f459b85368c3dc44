#include "fuzz/campaign/trust.h"

#include <gtest/gtest.h>

#include "fuzz/temp_folder.h"

namespace prelaunch::fuzz {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Clocks::System kNoon{hours{12}};
const Clocks::Steady kBoot{hours{1}};

TEST(Clocks, ThatGoOnTogetherAreTrusted) {
  const Clocks clocks(kNoon, kBoot);
  EXPECT_EQ(clocks.doubt(kNoon, kBoot), std::nullopt);
  EXPECT_EQ(clocks.doubt(kNoon + hours{6}, kBoot + hours{6}), std::nullopt);
  EXPECT_EQ(clocks.doubt(kNoon + hours{6} + seconds{1}, kBoot + hours{6}), std::nullopt);
}

TEST(Clocks, OneThatWasSetIsNamed) {
  const Clocks clocks(kNoon, kBoot);
  EXPECT_EQ(clocks.doubt(kNoon - hours{1} + seconds{9}, kBoot + seconds{9}),
            "the clock was set back by 3600 s while the campaign ran");
  EXPECT_EQ(clocks.doubt(kNoon + seconds{69}, kBoot + seconds{9}),
            "the clock was set forward by 60 s while the campaign ran");
  EXPECT_EQ(clocks.doubt(kNoon, kBoot - seconds{5}), "the steady clock went back by 5 s");
}

// A folder that ninja could build a program in.
class Stale : public testing::Test {
 protected:
  Stale() {
    folder_.write("build.ninja", "rule link\n  command = true\nbuild bin/program: link a.cc\n");
    folder_.write("a.cc", "");
    folder_.write("bin/program", "");
  }
  void write_later(const std::string& name, milliseconds later) {
    const auto built = fs::last_write_time(folder_ / "bin/program");
    fs::last_write_time(folder_ / name, built + later);
  }
  const TempFolder folder_;
};

TEST_F(Stale, AProgramNewerThanItsSourcesIsTrusted) {
  write_later("a.cc", milliseconds{-5});
  EXPECT_EQ(stale(folder_ / "bin/program"), std::nullopt);
}

TEST_F(Stale, AProgramOlderThanASourceIsNamedWithIt) {
  write_later("a.cc", milliseconds{5});
  EXPECT_EQ(stale(folder_ / "bin/program"), "program is stale: a.cc is newer; build again");
}

TEST_F(Stale, AProgramThatNinjaDoesNotKnowIsNamed) {
  folder_.write("bin/other", "");
  EXPECT_EQ(stale(folder_ / "bin/other"),
            "what other is built from cannot be told: ninja does not know it");
}

TEST(StaleElsewhere, NothingIsKnownOfAProgramThatLiesInNoBuildFolder) {
  const TempFolder folder;
  folder.write("program", "");
  EXPECT_EQ(stale(folder / "program"), std::nullopt);
}

TEST(FullDisk, OneWithRoomIsNone) { EXPECT_EQ(full_disk("/"), std::nullopt); }

}  // namespace
}  // namespace prelaunch::fuzz
