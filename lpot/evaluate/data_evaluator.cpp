#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "lpot/core/error.h"
#include "lpot/evaluate/evaluator.h"

namespace lpot {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostNotes = 256u << 20;  // bytes; outputs beyond are made again
constexpr std::size_t kShareOfFirst = 3;        // the hardest third of the samples has nearly all that int8 changes

// Metrics that do not judge leave nothing.
void drop_unless_judged(Judgements& judgements) {
  if (std::none_of(judgements.begin(), judgements.end(), [](const auto& judged) { return judged.has_value(); }))
    judgements.clear();
}

Json to_json(const Judgements& judgements) {
  Json json = Json::array();
  for (const auto& judged : judgements) json.push_back(judged ? Json{judged->value, judged->margin} : Json());
  return json;
}

Judgements judgements_from_json(const Json& json) {
  Judgements judgements;
  for (const Json& judged : json)
    judgements.push_back(judged.is_null()
                             ? std::nullopt
                             : std::optional(Judgement{judged.at(0).get<double>(), judged.at(1).get<double>()}));
  return judgements;
}

Json to_json(const BaselineOutputs& outputs) {
  Json json = Json::array();
  for (const Tensor& output : outputs) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(output.bytes());
    json.push_back(
        {static_cast<int>(output.element_type()), output.shape(), Json::binary({bytes, bytes + output.byte_size()})});
  }
  return json;
}

BaselineOutputs outputs_from_json(const Json& json) {
  BaselineOutputs outputs;
  for (const Json& output : json) {
    Tensor tensor(static_cast<ElementType>(output.at(0).get<int>()), output.at(1).get<Shape>());
    const auto& bytes = output.at(2).get_binary();
    if (bytes.size() != tensor.byte_size()) throw StoreError("evaluate", "the kept outputs are damaged");
    std::memcpy(tensor.bytes(), bytes.data(), bytes.size());
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

}  // namespace

DataEvaluator::DataEvaluator(DataLoader loader, std::vector<NamedMetric> metrics, EvaluateOptions options)
    : loader_(std::move(loader)), metrics_(std::move(metrics)), options_(std::move(options)) {}

void DataEvaluator::expect_many() {
  expects_many_ = true;
  if (loader_.is_slow()) loader_ = loader_.cached();
}

Score DataEvaluator::baseline(const Model& fp32, const Observer& observer) {
  baseline_outputs_.clear();
  EvaluateOptions options = options_;
  options.keep_outputs = &baseline_outputs_;
  options.judgements = &baseline_judgements_;
  if (expects_many_) options.choose_throughput = &options_.throughput;
  const Score score = evaluate(fp32, loader_, metrics_, options, observer);
  drop_unless_judged(baseline_judgements_);
  return score;
}

Score DataEvaluator::score(const Model& model, const Observer& observer) {
  EvaluateOptions options = options_;
  options.baseline = &baseline_outputs_;
  Judgements judgements;
  options.judgements = &judgements;
  const Score score = evaluate(model, loader_, metrics_, options, observer);
  drop_unless_judged(judgements);
  if (first_judgements_.empty()) first_judgements_ = std::move(judgements);
  return score;
}

Score DataEvaluator::score_unless_below(double lowest, const Model& model, const Observer& observer) {
  if (baseline_judgements_.empty()) return score(model, observer);
  const std::optional<double> confidence = options_.confidence;
  const bool is_first = first_judgements_.empty();
  const EvaluationOrder order = hardest_first(is_first ? baseline_judgements_ : first_judgements_,
                                              confidence.has_value(), loader_.options().seed);
  // The others are ordered and estimated by the first model, so it is evaluated as far as most of its loss shows.
  const std::size_t fewest = is_first ? loader_.size() / kShareOfFirst : 0;
  Verdict verdict(baseline_judgements_, first_judgements_, {lowest, confidence, order.random_from, fewest});
  EvaluateOptions options = options_;
  options.baseline = &baseline_outputs_;
  options.positions = order.positions;
  options.verdict = &verdict;
  Judgements judgements;
  if (is_first) options.judgements = &judgements;
  Score score = evaluate(model, loader_, metrics_, options, observer);
  if (is_first) first_judgements_ = std::move(judgements);
  // What is estimated must not look like what it is certain not to be.
  if (!score.complete && score.metrics.front().second >= lowest)
    score.metrics.front().second = std::nextafter(lowest, -1.0);
  return score;
}

void DataEvaluator::prepare(const Model& fp32, const Observer& observer) {
  if (needs_baseline(metrics_) && baseline_outputs_.empty()) baseline(fp32, observer);
}

std::string DataEvaluator::notes() const {
  Json json{{"baseline", to_json(baseline_judgements_)},
            {"first", to_json(first_judgements_)},
            {"batch_size", options_.throughput.batch_size},
            {"streams", options_.throughput.streams}};
  std::size_t bytes = 0;
  for (const Tensor& output : baseline_outputs_) bytes += output.byte_size();
  if (bytes <= kMostNotes) json["outputs"] = to_json(baseline_outputs_);
  const std::vector<std::uint8_t> encoded = Json::to_cbor(json);
  return {encoded.begin(), encoded.end()};
}

void DataEvaluator::restore(const std::string& notes) {
  try {
    const Json json = Json::from_cbor(notes);
    Judgements baseline = judgements_from_json(json.at("baseline")), first = judgements_from_json(json.at("first"));
    if ((!baseline.empty() && baseline.size() != loader_.size()) || (!first.empty() && first.size() != loader_.size()))
      throw StoreError("evaluate", "the kept judgements are of other data");
    baseline_judgements_ = std::move(baseline);
    first_judgements_ = std::move(first);
    if (json.contains("outputs")) baseline_outputs_ = outputs_from_json(json.at("outputs"));
    options_.throughput = {json.at("batch_size").get<std::size_t>(), json.at("streams").get<int>()};
  } catch (const Json::exception&) {
    throw StoreError("evaluate", "what was kept of the evaluations is damaged; tune without --resume to measure again");
  }
}

}  // namespace lpot
