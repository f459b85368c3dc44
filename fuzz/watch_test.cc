// The witnesses are asked about a stretch of time.
#include "fuzz/watch.h"

#include <gtest/gtest.h>

namespace prelaunch::fuzz {
namespace {

void set_device() { door::set_current_device(door::current_device()); }

void allocate_and_release() {
  void* data = nullptr;
  ASSERT_TRUE(door::allocate("test", 16, nullptr, &data).ok());
  ASSERT_TRUE(door::release(data, nullptr).ok());
}

TEST(Watch, SaysWhoSawWhatSinceItBegan) {
  set_device();
  const Watch watch;
  EXPECT_EQ(watch.anything(), std::nullopt);
  allocate_and_release();
  EXPECT_EQ(watch.anything(), "the door saw an allocation");
  EXPECT_EQ(watch.door().allocations, 2u);
  EXPECT_EQ(Watch().anything(), std::nullopt);
}

TEST(Watch, SaysWhoMissedWork) {
  const Watch watch;
  EXPECT_EQ(watch.missed(Work::kDeviceSet), "the door missed a device set");
  set_device();
  EXPECT_EQ(watch.missed(Work::kDeviceSet), std::nullopt);
  EXPECT_EQ(watch.missed(Work::kLaunch), "the door missed a launch");
}

}  // namespace
}  // namespace prelaunch::fuzz
