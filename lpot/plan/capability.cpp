#include "lpot/plan/capability.h"

#include <algorithm>

namespace lpot {
namespace {

const std::vector<Granularity> kWeights{Granularity::PerChannel, Granularity::PerTensor};
const std::vector<Symmetry> kActivations{Symmetry::Asymmetric, Symmetry::Symmetric};
const std::vector<Algorithm> kAlgorithms{Algorithm::MinMax, Algorithm::Kl};
const std::vector<Algorithm> kOnRequest{Algorithm::Percentile, Algorithm::Mse};

}  // namespace

const std::vector<Capability>& capabilities() {
  static const std::vector<Capability> kTable{
      {"Convolution", 1, kWeights, kActivations, kAlgorithms, kOnRequest},
      {"GroupConvolution", 1, kWeights, kActivations, kAlgorithms, kOnRequest},
      // The int8 kernel of OpenVINO's CPU plug-in has no zero point. With asymmetric activations the op runs in fp32.
      {"ConvolutionBackpropData", 1, kWeights, {Symmetry::Symmetric}, kAlgorithms, kOnRequest},
      {"MatMul", -1, kWeights, kActivations, kAlgorithms, kOnRequest},
      {"LSTMSequence", -1, {Granularity::PerChannel}, kActivations, kAlgorithms, kOnRequest},
      {"GRUSequence", -1, {Granularity::PerChannel}, kActivations, kAlgorithms, kOnRequest},
  };
  return kTable;
}

const Capability* find_capability(const std::string& type) {
  const auto& rows = capabilities();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Capability& row) { return row.op_type == type; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace lpot
