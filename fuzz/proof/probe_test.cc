// Which bugs are planted, and what is said of them.
#include "fuzz/proof/probe.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "fuzz/proof/tables.h"

namespace prelaunch::fuzz {
namespace {

using std::chrono::seconds;

std::vector<const OpInfo*> every_op() { return {all_ops().begin(), all_ops().end()}; }

std::string text(const std::vector<Probe>& probes) {
  return probes_json(probes, 0, seconds{1}).dump();
}

TEST(Probes, AreOneForEachTarget) {
  const std::vector<Probe> probes = choose_probes(every_op(), 1);
  ASSERT_EQ(probes.size(), 2 * all_ops().size());
  for (std::size_t i = 0; i < probes.size(); ++i) {
    EXPECT_EQ(probes[i].run.op, all_ops()[i / 2]);
    EXPECT_EQ(probes[i].run.profile, i % 2 == 0 ? Profile::kValidate : Profile::kExecute);
  }
}

TEST(Probes, FollowFromTheSeed) {
  EXPECT_EQ(text(choose_probes(every_op(), 1)), text(choose_probes(every_op(), 1)));
  EXPECT_NE(text(choose_probes(every_op(), 1)), text(choose_probes(every_op(), 2)));
}

TEST(Probes, OfAnOpAreTheSameWithoutTheOthers) {
  const std::vector<Probe> all = choose_probes(every_op(), 5);
  const std::vector<Probe> last = choose_probes({all_ops().back()}, 5);
  ASSERT_EQ(last.size(), 2u);
  EXPECT_EQ(text(last), text({all.end()[-2], all.end()[-1]}));
  EXPECT_EQ(last[0].run.seed, all.end()[-2].run.seed);
}

TEST(Probes, PlantEveryRuleAndEveryBugInTheEnd) {
  std::map<const OpInfo*, std::set<std::string>> seen;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    for (const Probe& probe : choose_probes(every_op(), seed)) {
      seen[probe.run.op].insert(planted::to_string(probe.run.planted));
    }
  }
  for (const OpInfo* op : all_ops()) {
    EXPECT_EQ(seen[op].size(), op->rules.size() + faults_of(op->name).size()) << op->name;
  }
}

TEST(Probes, GiveFuzzersASeedThatTheyTake) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const Probe& probe : choose_probes(every_op(), seed)) {
      EXPECT_GE(probe.run.seed, 1u);
      EXPECT_LT(probe.run.seed, std::uint64_t{1} << 32);
    }
  }
}

TEST(Probes, SayWhatIsPlanted) {
  Probe probe = choose_probes({find_op("ulysses_pack")}, 0).front();
  probe.run.planted.index = 0;
  probe.what = "rule x left out";
  EXPECT_EQ(sentence_of_missed(probe, seconds{60}),
            "ulysses_pack_validate did not find the bug planted to test it within 60 s "
            "(deletion:0: rule x left out)");
  EXPECT_EQ(probes_json({probe}, 3, seconds{60}).dump(),
            R"({"schema":"prelaunch.probe/1","seed":3,"targets":[{"op":"ulysses_pack",)"
            R"("profile":"validate","planted":"deletion:0","what":"rule x left out",)"
            R"("found":false,"reason":null,"seconds":0.0,"limit":60}]})");
  probe.result = {true, "wrong_rule", 0.5};
  const nlohmann::ordered_json found = probes_json({probe}, 3, seconds{60})["targets"][0];
  EXPECT_EQ(found["found"], true);
  EXPECT_EQ(found["reason"], "wrong_rule");
  EXPECT_EQ(found["seconds"], 0.5);
}

}  // namespace
}  // namespace prelaunch::fuzz
