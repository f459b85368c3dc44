// In what two calls differ, and whether that is one edit.
#include "fuzz/difference.h"

#include <gtest/gtest.h>

#include "fuzz/seeds.h"
#include "fuzz/test_calls.h"

namespace prelaunch::fuzz {
namespace {

const OpInfo& pack() { return *find_op("ulysses_pack"); }

Call good() { return accepted_calls(pack())[9].call; }

TEST(Difference, OneCallDiffersInNothing) {
  EXPECT_TRUE(differences(pack(), good(), good()).empty());
  EXPECT_FALSE(is_one_edit({}));
}

TEST(Difference, APropertyIsNamedWithItsValues) {
  Call other = good();
  other.values[1].tensor.shape[0] += 1;
  const auto all = differences(pack(), good(), other);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(to_string(pack(), all), "k.shape[0]: 3 -> 4");
  EXPECT_EQ(all[0].direction, '+');
  EXPECT_EQ(differences(pack(), other, good())[0].direction, '-');
  EXPECT_TRUE(is_one_edit(all));
}

TEST(Difference, SeveralPropertiesOfOneFieldAreOneEdit) {
  Call other = good();
  other.values[1].tensor.shape[0] += 1;
  other.values[1].tensor.device = cuda(1);
  EXPECT_EQ(differences(pack(), good(), other).size(), 2u);
  EXPECT_TRUE(is_one_edit(differences(pack(), good(), other)));
}

TEST(Difference, OfSeveralFieldsOnlyTheSameEditIsOne) {
  Call same = good(), different = good();
  for (const std::size_t i : {0u, 1u, 2u}) same.values[i].tensor.dtype = kFloat64;
  different.values[0].tensor.dtype = kFloat64;
  different.values[1].tensor.dtype = kFloat32;
  EXPECT_TRUE(is_one_edit(differences(pack(), good(), same)));
  EXPECT_FALSE(is_one_edit(differences(pack(), good(), different)));
}

TEST(Difference, WhatATensorHoldsIsNone) {
  Call other = good();
  other.fill = 7;
  other.current_device = 1;
  other.values[0].tensor.fill.kind = Fill::Kind::kBytes;
  EXPECT_TRUE(differences(pack(), good(), other).empty());
}

TEST(Difference, AnAbsentArgumentHasNoProperties) {
  Call other = good();
  other.values[4] = {};
  other.values[4].absent = true;
  EXPECT_EQ(to_string(pack(), differences(pack(), good(), other)), "out.presence: given -> absent");
}

}  // namespace
}  // namespace prelaunch::fuzz
