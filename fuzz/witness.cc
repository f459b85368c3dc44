#include "fuzz/witness.h"

#include "fuzz/op_info.h"
#include "kernels/common/door.h"

namespace prelaunch::fuzz {
namespace {

// Launches of the first case that runs here.
std::uint64_t launches_of_a_good_call() {
  for (const OpInfo* op : all_ops()) {
    for (const NamedCall& named : op->seeds()) {
      const Judgement judgement = op->judge(named.call, named.expect, {.max_elements = 1 << 14});
      if (judgement.compared > 0) return judgement.door.launches;
    }
  }
  return 0;
}

std::optional<std::string> unseen(std::string_view what, std::uint64_t seen, std::uint64_t sent) {
  if (seen >= sent) return std::nullopt;
  return std::string("the door's counter missed ").append(what);
}

}  // namespace

std::optional<std::string> blind_witness() {
  constexpr std::int64_t kBytes = 16;
  const door::Counts before = door::counts();
  void* data = nullptr;
  char host[kBytes] = {};
  const std::int32_t device = door::current_device();
  door::set_current_device(device);
  if (!door::allocate("witness", kBytes, nullptr, &data).ok()) return "the door allocates nothing";
  const bool moved = door::copy(data, host, kBytes, door::Direction::kHostToDevice, nullptr).ok() &&
                     door::fill(data, 0, kBytes, nullptr).ok();
  if (!moved || !door::release(data, nullptr).ok()) return "the door moves nothing";
  const door::Counts seen = door::counts() - before;
  if (auto text = unseen("an allocation", seen.allocations, 2)) return text;
  if (auto text = unseen("a copy", seen.copies, 2)) return text;
  if (auto text = unseen("a device set", seen.device_sets, 1)) return text;
  return unseen("a launch", launches_of_a_good_call(), 1);
}

}  // namespace prelaunch::fuzz
