#include "lpot/tune/diagnose_ops.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "lpot/calibrate/range.h"
#include "lpot/quantize/graph/activation_range.h"

namespace lpot {
namespace {

constexpr double kFarWider = 10;         // than the median channel: an outlier
constexpr std::size_t kFewChannels = 4;  // too few to say which of them is unlike the others
constexpr std::size_t kTensors = 6;      // histograms of a report
constexpr std::size_t kBins = 96;        // of one histogram

ChannelDiagnosis diagnose_channels(const TensorStatistics& tensor) {
  ChannelDiagnosis found;
  std::vector<double> widths;
  for (const ChannelStatistics& channel : tensor.channels()) {
    widths.push_back(static_cast<double>(std::max(std::fabs(channel.min), std::fabs(channel.max))));
    if (channel.min == channel.max) ++found.dead;
  }
  found.count = widths.size();
  if (widths.size() < kFewChannels) return {.count = widths.size()};
  std::vector<double> sorted = widths;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[sorted.size() / 2];
  if (median <= 0) return found;
  found.widest = sorted.back() / median;
  found.outliers = static_cast<std::size_t>(
      std::count_if(widths.begin(), widths.end(), [&](double width) { return width > kFarWider * median; }));
  return found;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The observed values in a few bins from the smallest to the largest.
TensorHistogram histogram_of(const TensorStatistics& tensor) {
  const Histogram& histogram = tensor.histogram();
  TensorHistogram summary;
  summary.low = static_cast<double>(tensor.min());
  summary.high = static_cast<double>(tensor.max());
  summary.counts.assign(kBins, 0);
  const double width = (summary.high - summary.low) / kBins;
  for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
    const double middle = histogram.bin_low(i) + histogram.bin_width() / 2;
    const double bin = width > 0 ? (middle - summary.low) / width : 0;
    summary.counts[static_cast<std::size_t>(std::clamp(bin, 0.0, kBins - 1.0))] += histogram.counts()[i];
  }
  return summary;
}

TensorHistogram describe_tensor(const OpDiagnosis& op, const TensorScheme& scheme, const TensorStatistics& tensor) {
  const Range range = activation_levels(find_range(tensor, scheme.algorithm, {.bits = 8, .symmetry = scheme.symmetry}),
                                        scheme.symmetry);
  TensorHistogram summary = histogram_of(tensor);
  summary.tensor = op.tensor;
  summary.op = op.op;
  summary.algorithm = to_string(scheme.algorithm);
  summary.range_low = static_cast<double>(range.low);
  summary.range_high = static_cast<double>(range.high);
  return summary;
}

}  // namespace

std::vector<OpDiagnosis> diagnose_ops(const QuantizationTask& task, const OpMeasurements& measured) {
  std::vector<OpDiagnosis> all;
  for (const QuantizableOp& op : task.ops) {
    OpDiagnosis found{.op = op.name, .type = op.type, .tensor = op.activation, .noise = {}};
    found.samples = measured.samples;
    if (const auto known = measured.noise.find(op.name); known != measured.noise.end()) found.noise = known->second;
    found.saturates = contains(measured.saturating_ops, op.name);
    if (const auto known = measured.statistics.find(op.activation); known != measured.statistics.end())
      found.channels = diagnose_channels(known->second);
    const KernelVariantChoice& variants = measured.variants;
    if (const auto known = variants.times.find(op.name); known != variants.times.end()) {
      found.fp32_ms = known->second.fp32_ms;
      found.int8_ms = variants.variants.contains(op.name) ? known->second.convolution_ms : known->second.plain_ms;
    }
    found.slower_in_int8 = contains(variants.slower_in_int8, op.name);
    all.push_back(std::move(found));
  }
  return all;
}

std::vector<TensorHistogram> noisiest_tensors(const std::vector<OpDiagnosis>& ops, const Plan& plan,
                                              const Statistics& statistics) {
  std::vector<const OpDiagnosis*> noisiest;
  for (const OpDiagnosis& op : ops)
    if (op.noise && statistics.contains(op.tensor)) noisiest.push_back(&op);
  std::stable_sort(noisiest.begin(), noisiest.end(),
                   [](const OpDiagnosis* a, const OpDiagnosis* b) { return *a->noise > *b->noise; });
  std::vector<TensorHistogram> tensors;
  std::set<std::string> seen;
  for (const OpDiagnosis* op : noisiest) {
    const auto planned = plan.ops.find(op->op);
    if (tensors.size() == kTensors || planned == plan.ops.end() || !seen.insert(op->tensor).second) continue;
    tensors.push_back(describe_tensor(*op, planned->second.activation, statistics.at(op->tensor)));
  }
  return tensors;
}

}  // namespace lpot
