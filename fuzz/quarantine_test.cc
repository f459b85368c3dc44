#include "fuzz/quarantine.h"

#include <gtest/gtest.h>

#include "fuzz/seeds.h"

namespace prelaunch::fuzz {
namespace {

const OpInfo& pack() { return *find_op("ulysses_pack"); }

Call call_named(std::string_view name) {
  for (const NamedCall& named : accepted_calls(pack())) {
    if (named.name == name) return named.call;
  }
  ADD_FAILURE() << name;
  return {};
}

Value& value(Call& call, std::string_view field) {
  std::size_t i = 0;
  while (pack().fields[i].name != field) ++i;
  return call.values[i];
}

TEST(Quarantine, HoldsTheCallItselfWhateverItsMemoryHolds) {
  Call call = call_named("accept-small_vector");
  const std::vector<Quarantine> known = {{call, {}}};
  call.fill = 7;
  EXPECT_TRUE(is_quarantined(pack(), call, known));
  ++value(call, "world_size").integer;
  EXPECT_FALSE(is_quarantined(pack(), call, known));
}

TEST(Quarantine, HoldsWhatAgreesInTheNamedProperties) {
  const Call call = call_named("accept-small_vector");
  const std::vector<Quarantine> known = {{call, {"q.dtype", "world_size.value"}}};
  Call other = call_named("accept-small_fused");
  value(other, "world_size").integer = value(const_cast<Call&>(call), "world_size").integer;
  EXPECT_TRUE(is_quarantined(pack(), other, known));
  value(other, "q").tensor.dtype = kFloat64;
  EXPECT_FALSE(is_quarantined(pack(), other, known));
}

TEST(Quarantine, AnAbsentArgumentAgreesInNothing) {
  Call call = call_named("accept-small_vector");
  const std::vector<Quarantine> known = {{call, {"out.device"}}};
  EXPECT_TRUE(is_quarantined(pack(), call, known));
  value(call, "out") = {};
  value(call, "out").absent = true;
  EXPECT_FALSE(is_quarantined(pack(), call, known));
}

TEST(Quarantine, AnEmptyOneHoldsNothing) {
  EXPECT_FALSE(is_quarantined(pack(), call_named("accept-small_vector"), {}));
}

TEST(Quarantine, ComesThroughItsTextUnchanged) {
  const std::vector<Quarantine> known = {{call_named("accept-small_vector"), {"q.shape[1]"}},
                                         {call_named("accept-small_fused"), {}}};
  const auto read = parse_quarantine(pack(), format_quarantine(pack(), known));
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].call, known[0].call);
  EXPECT_EQ((*read)[0].where, known[0].where);
  EXPECT_EQ((*read)[1].call, known[1].call);
}

TEST(Quarantine, TextThatIsNoneIsRefused) {
  for (const std::string_view text : {"0", "xx", "00 q.colour", "00 q", "-1 q.dtype"}) {
    EXPECT_FALSE(parse_quarantine(pack(), text).has_value()) << text;
  }
  EXPECT_TRUE(parse_quarantine(pack(), "").has_value());
}

TEST(Quarantine, KnowsThePropertiesOfArguments) {
  for (const std::string_view text :
       {"q.dtype", "k.shape[0]", "out.strides[7]", "world_size.value", "out.presence"}) {
    EXPECT_TRUE(is_property(pack(), text)) << text;
  }
  for (const std::string_view text : {"", "q", "q.", "q.shape", "q.shape[8]", "world_size.dtype",
                                      "w.dtype", "q.dtype ", "q.value"}) {
    EXPECT_FALSE(is_property(pack(), text)) << text;
  }
}

}  // namespace
}  // namespace prelaunch::fuzz
