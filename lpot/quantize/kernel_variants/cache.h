// A cache of kernel variant measurements, shared by all models on the same kind of CPU.
//
// It is one JSON file. For each CPU class, number of cores and runtime version it stores the times and the chosen
// variant of ops by their signature (type, shapes, scheme, neighbours). A model whose ops are all in the cache is not
// measured. Processes lock the file while they add to it. A damaged or unwritable file is ignored.
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

// A copy of the model's graph for inputs of these shapes. Throws ModelError when the model does not accept them.
std::shared_ptr<ov::Model> graph_for(const Model&, const std::vector<Tensor>& inputs);

// The signature of each int8 op for inputs of these shapes. Throws ModelError when the model does not accept them.
std::map<std::string, std::string> op_signatures(const Model&, const Plan&, const std::vector<Tensor>& inputs);

class KernelVariantCache {
 public:
  // An empty path disables the cache.
  KernelVariantCache(std::filesystem::path file, const Cpu&);

  // The stored choice for ops with these signatures; empty unless all of them are stored.
  std::optional<KernelVariantChoice> find(const std::map<std::string, std::string>& signatures) const;
  void store(const std::map<std::string, std::string>& signatures, const KernelVariantChoice&) const;

 private:
  std::filesystem::path file_;
  std::string machine_;
};

}  // namespace lpot
