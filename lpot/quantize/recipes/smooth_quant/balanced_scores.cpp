#include "lpot/quantize/recipes/smooth_quant/balanced_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lpot/core/error.h"
#include "lpot/quantize/graph/activation_range.h"
#include "lpot/quantize/graph/channel_pairs.h"
#include "lpot/quantize/graph/products.h"
#include "lpot/quantize/recipes/smooth_quant.h"

namespace lpot {
namespace {

bool is_int8(const Plan& plan, const std::string& op) {
  const auto found = plan.ops.find(op);
  return found != plan.ops.end() && found->second.precision == Precision::Int8;
}

double largest(const ChannelStatistics& channel) {
  return static_cast<double>(std::max(std::fabs(channel.min), std::fabs(channel.max)));
}

const TensorStatistics& observed(const Statistics& statistics, const QuantizableOp& product, std::size_t side) {
  const std::string& tensor = side == 0 ? product.activation : product.second;
  const auto found = statistics.find(tensor);
  if (found == statistics.end())
    throw DataError("quantize",
                    fmt::format("op '{}': its input '{}' has no statistics. Calibrate first.", product.name, tensor));
  return found->second;
}

std::vector<float> inverse(std::vector<float> values) {
  for (float& value : values) value = 1.0f / value;
  return values;
}

}  // namespace

ScoreDivisors balance_scores(const Model& model, const Plan& plan, const Statistics& statistics, Rescaling& rescaling) {
  ScoreDivisors all;
  std::map<std::string, QuantizableOp> products;
  for (QuantizableOp& product : activation_products(model))
    if (is_int8(plan, product.name)) products.emplace(product.name, std::move(product));
  if (products.empty()) return all;  // the search for pairs is as slow as the rest of resolve()
  for (const FactorPair& pair : factor_pairs(model)) {
    const auto product = products.find(pair.product);
    if (product == products.end()) continue;
    const auto &first = observed(statistics, product->second, 0).channels(),
               &second = observed(statistics, product->second, 1).channels();
    if (first.size() != pair.channels || second.size() != pair.channels) continue;
    std::vector<float> divisors(pair.channels, 1.0f);
    for (std::size_t i = 0; i < pair.channels; ++i) {
      const double of_first = largest(first[i]), of_second = largest(second[i]);
      if (of_first > 0 && of_second > 0)
        divisors[i] = static_cast<float>(std::exp2(std::round(0.5 * std::log2(of_first / of_second))));
    }
    rescaling.divide(pair.kernels[0], pair.biases[0], divisors);
    rescaling.divide(pair.kernels[1], pair.biases[1], inverse(divisors));
    all.emplace(pair.product, std::move(divisors));
  }
  return all;
}

std::vector<ProductEdit> product_edits(const Model& model, const Plan& plan, const Statistics& statistics,
                                       const ScoreDivisors& divisors) {
  std::vector<ProductEdit> edits;
  for (const QuantizableOp& product : activation_products(model)) {
    if (!is_int8(plan, product.name)) continue;
    ProductEdit edit{.op = product.name, .levels = {}};
    const auto found = divisors.find(product.name);
    for (const std::size_t side : {0, 1}) {
      const TensorStatistics& input = observed(statistics, product, side);
      const Algorithm algorithm = plan.ops.at(product.name).activation.algorithm;
      const Range range =
          found == divisors.end()
              ? find_range(input, algorithm, {.symmetry = Symmetry::Symmetric})
              : divided_range(input, side == 0 ? found->second : inverse(found->second), Symmetry::Symmetric);
      edit.levels[side] = activation_levels(range, Symmetry::Symmetric);
    }
    edits.push_back(edit);
  }
  return edits;
}

}  // namespace lpot
