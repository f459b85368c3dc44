#include "bench/context.h"

#include "bench/device_timer.h"
#include "kernels/common/door.h"
#include "kernels/common/provenance.h"

namespace prelaunch::bench {

nlohmann::ordered_json read_context(std::uint64_t seed) {
  const Provenance here = read_provenance(checkout());
  nlohmann::ordered_json context = {
      {"commit", here.commit}, {"dirty", here.dirty},           {"machine", here.machine},
      {"cpu", here.cpu},       {"cores", here.cores},           {"compiler", here.compiler},
      {"flags", here.flags},   {"build_type", here.build_type}, {"backend", door::backend()},
      {"seed", seed},          {"started", here.started}};
  if (const auto gpu = gpu_info()) {
    context["gpu"] = gpu->name;
    context["driver"] = gpu->driver;
  }
  return context;
}

}  // namespace prelaunch::bench
