// What holds of every child that the mutator makes, whatever its parents are.
#include "fuzz/mutate.h"

#include <gtest/gtest.h>

#include "fuzz/codec.h"
#include "fuzz/test_calls.h"

namespace prelaunch::fuzz {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kMost = 1024;

const OpInfo& pack() { return *find_op("ulysses_pack"); }

Bytes random_bytes(Choices& choose) {
  Bytes bytes(choose.below(201));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(choose.below(256));
  return bytes;
}

Bytes explicit_bytes(const OpInfo& op, Choices& choose) {
  Call call;
  op.generate(choose, call);
  return encode(op, call);
}

// In memory of the exact size, so that a sanitizer sees what goes past it.
Bytes mutated(const OpInfo& op, const Bytes& parent, std::uint32_t seed, std::size_t most = kMost) {
  Bytes room = parent;
  room.resize(std::max(most, parent.size()), 0xaa);
  room.shrink_to_fit();
  room.resize(mutate(op, room.data(), parent.size(), room.size(), seed));
  return room;
}

Bytes crossed(const OpInfo& op, const Bytes& first, const Bytes& second, std::uint32_t seed,
              std::size_t most = kMost) {
  Bytes out(most, 0xaa);
  out.resize(cross_over(op, first, second, out, seed));
  return out;
}

Expectation decoded(const OpInfo& op, const Bytes& bytes, Call& call) {
  return decode(op, bytes, call);
}

bool is_generated(const Bytes& bytes) { return !bytes.empty() && bytes[0] % 2 == 1; }

TEST(Mutate, TheSameSeedGivesTheSameChild) {
  Choices choose(1);
  for (std::uint32_t seed = 0; seed < 5'000; ++seed) {
    const Bytes first = random_bytes(choose), second = random_bytes(choose);
    ASSERT_EQ(mutated(pack(), first, seed), mutated(pack(), first, seed));
    ASSERT_EQ(crossed(pack(), first, second, seed), crossed(pack(), first, second, seed));
  }
}

// What lies behind the parent, and the seeds before this one, have no say.
TEST(Mutate, AChildDependsOnItsParentAlone) {
  Choices choose(2);
  for (std::uint32_t seed = 0; seed < 5'000; ++seed) {
    const Bytes parent = random_bytes(choose);
    Bytes room(kMost);
    for (std::uint8_t& byte : room) byte = static_cast<std::uint8_t>(choose.below(256));
    std::copy(parent.begin(), parent.end(), room.begin());
    room.resize(mutate(pack(), room.data(), parent.size(), room.size(), seed));
    ASSERT_EQ(room, mutated(pack(), parent, seed));
  }
}

TEST(Mutate, ChildrenOfAnyBytesAreCallsThatFit) {
  Choices choose(3);
  static Call call;
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    const OpInfo& op = *all_ops()[seed % all_ops().size()];
    const Bytes first = random_bytes(choose), second = random_bytes(choose);
    const std::size_t most = choose.below(4) == 0 ? 1 + choose.below(40) : kMost;
    for (const Bytes& child :
         {mutated(op, first, seed, most), crossed(op, first, second, seed, most)}) {
      ASSERT_GE(child.size(), 1u);
      ASSERT_LE(child.size(), std::max(most, first.size()));
      decode(op, child, call);
    }
  }
}

TEST(Mutate, WithoutRoomThereIsNoChild) {
  std::uint8_t byte = 0;
  for (std::uint32_t seed = 0; seed < 1'000; ++seed) {
    ASSERT_EQ(mutate(pack(), &byte, 0, 0, seed), 0u);
    ASSERT_EQ(cross_over(pack(), {}, {}, {}, seed), 0u);
  }
}

// The form that decode gives back is the one that a child has: nothing of it is ignored.
TEST(Mutate, ExplicitChildrenOfCallsAreCanonical) {
  Choices choose(4);
  int seen = 0;
  for (std::uint32_t seed = 0; seed < 40'000; ++seed) {
    const OpInfo& op = *all_ops()[seed % all_ops().size()];
    const Bytes first = explicit_bytes(op, choose), second = explicit_bytes(op, choose);
    for (const Bytes& child : {mutated(op, first, seed), crossed(op, first, second, seed)}) {
      if (is_generated(child)) continue;
      static Call call;
      decode(op, child, call);
      ASSERT_EQ(encode(op, call), child);
      ++seen;
    }
  }
  EXPECT_GT(seen, 1'000);
}

TEST(Mutate, AnExplicitChildIsOneFieldAwayFromItsParent) {
  Choices choose(5);
  int seen = 0;
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    const Bytes parent = explicit_bytes(pack(), choose);
    const Bytes child = mutated(pack(), parent, seed);
    if (is_generated(child)) continue;
    Call before, after;
    decode(pack(), parent, before);
    decode(pack(), child, after);
    int changed = 0;
    for (std::size_t i = 0; i < pack().fields.size(); ++i) {
      changed += before.values[i] != after.values[i];
    }
    EXPECT_EQ(changed, 1);
    ++seen;
  }
  EXPECT_GT(seen, 500);
}

TEST(CrossOver, AnExplicitChildHasTheFieldsOfBoth) {
  Choices choose(6);
  int mixed = 0;
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    Call of_first, of_second, child;
    const Bytes first = explicit_bytes(pack(), choose), second = explicit_bytes(pack(), choose);
    const Bytes bytes = crossed(pack(), first, second, seed);
    if (is_generated(bytes)) continue;
    decode(pack(), first, of_first);
    decode(pack(), second, of_second);
    decode(pack(), bytes, child);
    for (std::size_t i = 0; i < pack().fields.size(); ++i) {
      const Value& value = child.values[i];
      ASSERT_TRUE(value == of_first.values[i] || value == of_second.values[i]);
    }
    mixed += child.values != of_first.values && child.values != of_second.values;
  }
  EXPECT_GT(mixed, 300);
}

TEST(CrossOver, AGeneratedChildHasTheChoicesOfBoth) {
  Choices choose(7);
  int seen = 0;
  for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
    const Bytes first(40, 1), second(60, 3);
    const Bytes child = crossed(pack(), first, second, seed);
    if (!is_generated(child)) continue;
    ASSERT_EQ(child.size(), second.size());
    const auto cut = std::find(child.begin() + 2, child.end(), 3);
    EXPECT_EQ(std::count(child.begin() + 2, cut, 1), cut - child.begin() - 2);
    EXPECT_EQ(std::count(cut, child.end(), 3), child.end() - cut);
    seen += cut != child.begin() + 2;
  }
  EXPECT_GT(seen, 1'500);
}

struct Shares {
  int valid = 0, violations = 0, all = 0;
};

// A campaign without feedback: each child is the next parent, now and then crossed with a former
// one.
Shares shares_of(const OpInfo& op, Bytes parent, const Bytes& other) {
  Shares shares;
  static Call call;
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    parent = seed % 2 == 0 ? mutated(op, parent, seed) : crossed(op, parent, other, seed);
    const Verdict verdict = decoded(op, parent, call).verdict;
    shares.valid += verdict == Verdict::kAccept;
    shares.violations += verdict == Verdict::kReject;
    ++shares.all;
  }
  return shares;
}

TEST(Mutate, FromNothingMostCallsHaveAKnownVerdict) {
  for (const OpInfo* op : all_ops()) {
    const Shares shares = shares_of(*op, {}, {'\n'});
    EXPECT_GE(shares.valid, shares.all * 45 / 100) << op->name;
    EXPECT_GE(shares.violations, shares.all * 45 / 100) << op->name;
    EXPECT_LT(shares.valid + shares.violations, shares.all * 97 / 100) << op->name;
  }
}

// As in a campaign whose corpus is the seeds: all of them explicit.
TEST(Mutate, FromExplicitParentsAloneMostCallsHaveAKnownVerdict) {
  Choices choose(8);
  int valid = 0, violations = 0;
  constexpr int kChildren = 20'000;
  static Call call;
  for (std::uint32_t seed = 0; seed < kChildren; ++seed) {
    const Bytes child = mutated(pack(), explicit_bytes(pack(), choose), seed);
    const Verdict verdict = decoded(pack(), child, call).verdict;
    valid += verdict == Verdict::kAccept;
    violations += verdict == Verdict::kReject;
  }
  EXPECT_GE(valid, kChildren * 45 / 100);
  EXPECT_GE(violations, kChildren * 45 / 100);
}

// One choice after the other can be changed: a child differs from its parent in little.
TEST(Mutate, AGeneratedParentIsChangedALittle) {
  Choices choose(9);
  int one_byte = 0;
  constexpr std::uint32_t kSeeds = 4'000;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    Bytes parent(50);
    for (std::uint8_t& byte : parent) byte = static_cast<std::uint8_t>(choose.below(256));
    parent[0] |= 1;
    const Bytes child = mutated(pack(), parent, seed);
    int changed = 0;
    for (std::size_t i = 2; i < std::min(child.size(), parent.size()); ++i) {
      changed += child[i] != parent[i];
    }
    one_byte += child.size() == parent.size() && changed <= 1;
  }
  EXPECT_GT(one_byte, static_cast<int>(kSeeds) / 2);
}

}  // namespace
}  // namespace prelaunch::fuzz
