// What was measured of kernel forms, remembered for every model on this kind of CPU.
//
// Kept in one JSON file: for each CPU class, number of cores and version of the runtime, the times and the choice of
// every op by what it looks like (type, shapes, scheme, neighbours). A model all of whose ops are there needs no
// measuring. Processes take turns at writing and add to what is there; a file that is damaged or that cannot be
// written is as if it were not there.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lpot/core/cpu.h"
#include "lpot/core/tensor.h"
#include "lpot/model/model.h"
#include "lpot/plan/kernel_variants.h"
#include "lpot/plan/plan.h"

namespace lpot {

// A copy of the model's graph for inputs of these shapes. Throws ModelError when it does not take them.
std::shared_ptr<ov::Model> graph_for(const Model&, const std::vector<Tensor>& inputs);

// By op in int8, what it looks like for inputs of these shapes. Throws ModelError when the model does not take them.
std::map<std::string, std::string> op_signatures(const Model&, const Plan&, const std::vector<Tensor>& inputs);

class KernelVariantCache {
 public:
  // An empty path: nothing is remembered.
  KernelVariantCache(std::filesystem::path file, const Cpu&);

  // The choice for ops with these signatures, when all of them are known.
  std::optional<KernelVariantChoice> recall(const std::map<std::string, std::string>& signatures) const;
  void remember(const std::map<std::string, std::string>& signatures, const KernelVariantChoice&) const;

 private:
  std::filesystem::path file_;
  std::string machine_;
};

}  // namespace lpot
