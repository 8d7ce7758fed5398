#include "lpot/evaluate/notes.h"

#include <cstring>

#include "lpot/core/error.h"
#include "lpot/core/json.h"

namespace lpot {
namespace {

constexpr int kMaxParallel = 1 << 16;  // limit of batch sizes and streams

[[noreturn]] void damaged() {
  throw StoreError("evaluate", "the stored evaluation results are damaged. Tune without --resume to evaluate again.");
}

Json to_json(const SampleScores& sample_scores) {
  Json json = Json::array();
  for (const auto& score : sample_scores) json.push_back(score ? Json{score->value, score->margin} : Json());
  return json;
}

SampleScores sample_scores_from(const Json& json) {
  SampleScores sample_scores;
  for (const Json& score : json)
    sample_scores.push_back(score.is_null()
                                ? std::nullopt
                                : std::optional(SampleScore{score.at(0).get<double>(), score.at(1).get<double>()}));
  return sample_scores;
}

Json to_json(const std::vector<Tensor>& outputs) {
  Json json = Json::array();
  for (const Tensor& output : outputs) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(output.bytes());
    json.push_back(
        {static_cast<int>(output.element_type()), output.shape(), Json::binary({bytes, bytes + output.byte_size()})});
  }
  return json;
}

// The size is compared with the available bytes before memory is allocated.
Tensor tensor_from(const Json& json) {
  const auto type = json_integer(json.at(0));
  if (type < 0 || type > static_cast<std::int64_t>(ElementType::F64)) damaged();
  Shape shape;
  for (const Json& dimension : json.at(1)) shape.push_back(static_cast<std::size_t>(json_integer(dimension)));
  const auto& bytes = json.at(2).get_binary();
  std::size_t expected = element_size(static_cast<ElementType>(type));
  for (const std::size_t dimension : shape)
    if (__builtin_mul_overflow(expected, dimension, &expected)) damaged();
  if (bytes.size() != expected) damaged();
  Tensor tensor(static_cast<ElementType>(type), shape);
  if (!bytes.empty()) std::memcpy(tensor.bytes(), bytes.data(), bytes.size());
  return tensor;
}

}  // namespace

std::string to_bytes(const EvaluationNotes& notes) {
  Json json{{"baseline", to_json(notes.baseline)},
            {"first", to_json(notes.first)},
            {"batch_size", notes.batch_size},
            {"streams", notes.streams}};
  if (notes.outputs) {
    Json& labels = json["baseline_labels"] = Json::array();
    for (const std::vector<Tensor>& sample : *notes.outputs) labels.push_back(to_json(sample));
  }
  const std::vector<std::uint8_t> encoded = Json::to_cbor(json);
  return {encoded.begin(), encoded.end()};
}

EvaluationNotes notes_from_bytes(std::string_view bytes) {
  try {
    const Json json = parse_cbor(bytes);
    EvaluationNotes notes{sample_scores_from(json.at("baseline")), sample_scores_from(json.at("first")), std::nullopt,
                          static_cast<std::size_t>(json_integer(json.at("batch_size"))),
                          static_cast<int>(json_integer(json.at("streams")))};
    if (notes.batch_size > kMaxParallel || notes.streams < 0 || notes.streams > kMaxParallel) damaged();
    if (!json.contains("baseline_labels")) return notes;
    notes.outputs.emplace();
    for (const Json& sample : json.at("baseline_labels")) {
      std::vector<Tensor>& labels = notes.outputs->emplace_back();
      for (const Json& label : sample) labels.push_back(tensor_from(label));
    }
    return notes;
  } catch (const Json::exception&) {
    damaged();
  }
}

}  // namespace lpot
