// How something planted is named.
#include "fuzz/proof/planted.h"

#include <gtest/gtest.h>

namespace prelaunch::planted {
namespace {

TEST(Planted, ItsTextGivesItBack) {
  for (const Kind kind : {Kind::kCommon, Kind::kOwn, Kind::kDeletion, Kind::kSwap, Kind::kFault}) {
    Planted planted;
    ASSERT_TRUE(parse(to_string({kind, 17}), planted));
    EXPECT_EQ(planted.kind, kind);
    EXPECT_EQ(planted.index, 17u);
  }
  Planted planted{Kind::kOwn, 3};
  ASSERT_TRUE(parse(to_string(Planted{}), planted));
  EXPECT_EQ(planted.kind, Kind::kNone);
}

TEST(Planted, NothingElseIsUnderstood) {
  Planted planted;
  for (const char* text : {"", "own", "own:", "own:x", "own:1x", "own:-1", "other:1", "own:1 "}) {
    EXPECT_FALSE(parse(text, planted)) << text;
  }
}

TEST(Planted, OnlyWhatIsActiveIs) {
  active = {Kind::kOwn, 3};
  EXPECT_TRUE(own(3));
  EXPECT_FALSE(own(2));
  EXPECT_FALSE(common(3));
  EXPECT_FALSE(fault(3));
  active = {};
  EXPECT_FALSE(own(3));
}

TEST(Planted, WhatTheCompilerEvaluatesIsNever) {
  active = {Kind::kOwn, 3};
  constexpr bool evaluated = own(3);
  EXPECT_FALSE(evaluated);
  active = {};
}

}  // namespace
}  // namespace prelaunch::planted
