#include "fuzz/cuda/driver_calls.h"

#include <cupti.h>

#include <atomic>

namespace prelaunch::fuzz {
namespace {

std::array<std::atomic<std::uint64_t>, kWorks> g_heard;

Work work_of(std::string_view function) {
  struct {
    std::string_view prefix;
    Work work;
  } constexpr kPrefixes[] = {{"cuLaunch", Work::kLaunch},
                             {"cuGraphLaunch", Work::kLaunch},
                             {"cuMemAlloc", Work::kAllocation},
                             {"cuMemFree", Work::kAllocation},
                             {"cuMemcpy", Work::kCopy},
                             {"cuMemset", Work::kCopy},
                             {"cuCtxSetCurrent", Work::kDeviceSet}};
  for (const auto& [prefix, work] : kPrefixes) {
    if (function.starts_with(prefix)) return work;
  }
  return Work::kOther;
}

void CUPTIAPI hear(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite != CUPTI_API_ENTER) return;
  const Work work = work_of(call.functionName);
  g_heard[static_cast<std::size_t>(work)].fetch_add(1, std::memory_order_relaxed);
}

bool listen() {
  CUpti_SubscriberHandle subscriber = nullptr;
  if (cuptiSubscribe(&subscriber, hear, nullptr) != CUPTI_SUCCESS) return false;
  return cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API) == CUPTI_SUCCESS;
}

}  // namespace

bool hears_driver() {
  static const bool listens = listen();
  return listens;
}

Seen driver_calls() {
  Seen out{};
  for (std::size_t i = 0; i < kWorks; ++i) out[i] = g_heard[i].load(std::memory_order_relaxed);
  return out;
}

}  // namespace prelaunch::fuzz
