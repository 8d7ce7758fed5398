#include "lpot/tune/record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <openvino/core/version.hpp>
#include <set>

#include "lpot/calibrate/range.h"
#include "lpot/core/error.h"
#include "lpot/core/json.h"
#include "lpot/core/version.h"
#include "lpot/quantize/activation_range.h"

namespace lpot {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kTensors = 6;
constexpr std::size_t kBins = 96;

// Names come from files that others wrote, and may not be UTF-8.
std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// In topological order, each with why it can only be in fp32, where that is so.
Json ops_json(const Bench& bench) {
  std::map<std::string, std::size_t> places;
  for (const OpInfo& op : list_ops(bench.model)) places.emplace(op.name, places.size());
  std::set<std::string> products;
  for (const QuantizableOp& op : bench.ops)
    if (!op.second.empty()) products.insert(op.name);
  std::vector<OpSpace> ops = bench.space.ops;
  std::stable_sort(ops.begin(), ops.end(),
                   [&](const OpSpace& a, const OpSpace& b) { return places[a.name] < places[b.name]; });
  Json json = Json::array();
  for (const OpSpace& op : ops) {
    json.push_back({{"name", op.name}, {"type", op.type}});
    if (op.choices.front().precision != Precision::Fp32) continue;
    json.back()["kept"] = products.contains(op.name) && bench.cpu.needs_half_range()
                              ? "Products of two activations run in int8 only on CPUs whose sums have 32 bits."
                              : "The configuration keeps it in fp32.";
  }
  return json;
}

// The observed values in a few bins from the smallest to the largest.
Json histogram_json(const TensorStatistics& tensor) {
  const Histogram& histogram = tensor.histogram();
  const auto low = static_cast<double>(tensor.min()), high = static_cast<double>(tensor.max());
  std::vector<std::uint64_t> bins(kBins, 0);
  const double width = (high - low) / kBins;
  for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
    const double middle = histogram.bin_low(i) + histogram.bin_width() / 2;
    const double place = width > 0 ? (middle - low) / width : 0;
    bins[static_cast<std::size_t>(std::clamp(place, 0.0, kBins - 1.0))] += histogram.counts()[i];
  }
  return {{"low", low}, {"high", high}, {"counts", bins}};
}

}  // namespace

std::string end_key(std::size_t trials) { return fmt::format("end {}", trials); }

void record_about(Store& store, StudyId study, const Bench& bench, const TuneResult& result,
                  const std::string& command) {
  const Goal& goal = result.goal;
  const Json about{{"model", bench.model.source.string()},
                   {"format", to_string(bench.model.format)},
                   {"metric", result.metric},
                   {"objective", static_cast<int>(result.objective)},
                   {"goal",
                    {{"baseline", goal.baseline},
                     {"tolerance", goal.tolerance},
                     {"relative", goal.relative},
                     {"higher_is_better", goal.higher_is_better},
                     {"performance_only", goal.performance_only}}},
                   {"command", command},
                   {"started", fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)))},
                   {"machine", {{"cpu", bench.cpu.name}, {"class", bench.cpu.cpu_class()}, {"cores", bench.cpu.cores}}},
                   {"versions", {{"lpot", kVersion}, {"openvino", ov::get_openvino_version().buildNumber}}}};
  store.put(study, "about", text_of(about));
  store.put(study, "ops", text_of(ops_json(bench)));
}

void record_end(Store& store, StudyId study, const TuneResult& result) {
  store.put(study, end_key(result.trials.size()),
            text_of({{"reason", to_string(result.reason)},
                     {"model", result.model.string()},
                     {"model_bytes", result.model_bytes}}));
}

void record_diagnosis(Store& store, StudyId study, const std::vector<OpDiagnosis>& ops, const Plan& plan,
                      const Statistics& statistics) {
  Json diagnosis = Json::array();
  std::vector<const OpDiagnosis*> noisiest;
  for (const OpDiagnosis& op : ops) {
    diagnosis.push_back(to_json(op));
    if (op.noise && statistics.contains(op.tensor)) noisiest.push_back(&op);
  }
  store.put(study, "diagnosis", text_of(diagnosis));
  std::stable_sort(noisiest.begin(), noisiest.end(),
                   [](const OpDiagnosis* a, const OpDiagnosis* b) { return *a->noise > *b->noise; });
  Json tensors = Json::array();
  std::set<std::string> told;
  for (const OpDiagnosis* op : noisiest) {
    const auto planned = plan.ops.find(op->op);
    if (tensors.size() == kTensors || planned == plan.ops.end() || !told.insert(op->tensor).second) continue;
    const TensorStatistics& tensor = statistics.at(op->tensor);
    const TensorScheme& scheme = planned->second.activation;
    const Range range = activation_levels(
        find_range(tensor, scheme.algorithm, {.bits = 8, .symmetry = scheme.symmetry}), scheme.symmetry);
    tensors.push_back({{"tensor", op->tensor},
                       {"op", op->op},
                       {"algorithm", to_string(scheme.algorithm)},
                       {"range", {range.low, range.high}},
                       {"histogram", histogram_json(tensor)}});
  }
  store.put(study, "tensors", text_of(tensors));
}

Goal goal_from_json(const std::string& about) {
  try {
    const Json json = parse_json(about);
    const Json& goal = json.at("goal");
    return {.baseline = goal.at("baseline"),
            .tolerance = goal.at("tolerance"),
            .relative = goal.at("relative"),
            .higher_is_better = goal.at("higher_is_better"),
            .performance_only = goal.at("performance_only")};
  } catch (const Json::exception&) {
    throw StoreError("report", "what the store says about the study is damaged; tune again in another workspace");
  }
}

Objective objective_from_json(const std::string& about) {
  const Json json = parse_json_or_discard(about);
  const bool is_told = json.is_object() && json.contains("objective") && json.at("objective").is_number_integer();
  return static_cast<Objective>(std::clamp(
      is_told ? static_cast<int>(std::clamp<std::int64_t>(whole_number(json.at("objective")), 0, 2)) : 0, 0, 2));
}

}  // namespace lpot
