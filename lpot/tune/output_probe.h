// Compares the outputs of models with those of the fp32 model on a few samples. This takes a small part of the time of
// an evaluation.
#pragma once
#include <cstddef>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/model/model.h"
#include "lpot/plan/trial.h"
#include "lpot/runtime/runner.h"
#include "lpot/tune/distance.h"

namespace lpot {

class OutputProbe {
 public:
  // The fp32 model must outlive this object. `count`: number of samples to compare; 0: a twentieth of the data,
  // from 8 to 32.
  OutputProbe(const Model& fp32, const DataLoader& samples, std::size_t count = 0);

  void compile_with(Compilations& ahead) { ahead_ = &ahead; }  // `ahead` must outlive this object
  std::size_t samples() const { return positions_.size(); }
  double distance_from_fp32(const Model&, DistanceKind, const Observer&);

 private:
  Outputs outputs_of(const Model&, const Observer&) const;

  const Model& fp32_;
  DataLoader loader_;
  std::vector<std::size_t> positions_;
  Compilations* ahead_ = nullptr;
  Outputs fp32_outputs_;  // computed when they are first needed
};

}  // namespace lpot
