#include "lpot/quantize/weights_only.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/quantize/recipes/run_time_groups.h"

namespace lpot {

std::size_t run_time_groups(const Cpu& cpu) {
  constexpr std::size_t kPlugInDefault = 32;
  const bool is_x86 = cpu.avx2 || cpu.avx512;
  return is_x86 && cpu.vnni ? kPlugInDefault : 0;
}

bool is_weights_only(const Plan& plan) {
  return std::any_of(plan.ops.begin(), plan.ops.end(), [](const auto& named) {
    return named.second.precision == Precision::Int8 && named.second.weights_only;
  });
}

std::string describe_activations(const Plan& plan, const Cpu& cpu) {
  const std::int64_t groups = plan.recipes.integer(kRunTimeGroups);
  if (groups == 0)
    return fmt::format("stay fp32 on this CPU class ({}): the model is smaller, but not faster", cpu.cpu_class());
  return fmt::format(
      "of matrix products are quantized at run time in groups of {} values on this CPU class ({}), those of "
      "convolutions stay fp32: the model is smaller; speed depends on the CPU",
      groups, cpu.cpu_class());
}

}  // namespace lpot
