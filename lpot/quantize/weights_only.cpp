#include "lpot/quantize/weights_only.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/quantize/recipes/run_time_groups.h"

namespace lpot {

std::size_t run_time_groups(const Cpu& cpu) {
  constexpr std::size_t kPlugInsOwn = 32;
  const bool is_x86 = cpu.avx2 || cpu.avx512;
  return is_x86 && cpu.vnni ? kPlugInsOwn : 0;
}

bool is_weights_only(const Plan& plan) {
  return std::any_of(plan.ops.begin(), plan.ops.end(), [](const auto& named) {
    return named.second.precision == Precision::Int8 && named.second.weights_only;
  });
}

std::string describe_activations(const Plan& plan, const Cpu& cpu) {
  const std::int64_t groups = plan.recipes.integer(kRunTimeGroups);
  if (groups == 0)
    return fmt::format("stay fp32 on this CPU class ({}); what is gained is size, not speed", cpu.cpu_class());
  return fmt::format(
      "of matrix products are quantized at run time on this CPU class ({}), {} values at a time, those of convolutions "
      "stay fp32; what is gained is size, not speed",
      cpu.cpu_class(), groups);
}

}  // namespace lpot
