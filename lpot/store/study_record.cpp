#include "lpot/store/study_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/core/json.h"

namespace lpot {
namespace {

// These keys must not change, so that existing stores can be read.
constexpr const char* kAbout = "about";
constexpr const char* kOps = "ops";
constexpr const char* kBaseline = "baseline";
constexpr const char* kBaselineNotes = "notes of the baseline";
constexpr const char* kFirstModelNotes = "notes of the first model";
constexpr const char* kKernelVariants = "forms";
constexpr const char* kPrecision = "inference precision";
constexpr const char* kSecondsBeforeTrials = "seconds_before_trials";
constexpr const char* kDiagnosis = "diagnosis";
constexpr const char* kTensors = "tensors";

std::string statistics_key(const StatisticsKey& key) {
  std::string text = fmt::format("statistics {}", key.sampling_size);
  for (const auto& [recipe, value] : key.rescaling.all()) text += " " + recipe;
  return text;
}
std::string probe_key(std::size_t number) { return fmt::format("probe {}", number); }
// A study ends several times after the same number of trials if it is resumed without a new trial. `number`: from 1.
std::string end_key(std::size_t trials, std::size_t number) {
  return number == 1 ? fmt::format("end {}", trials) : fmt::format("end {} {}", trials, number);
}
// Version 0.1 stored the exact result of a trial under its own key.
std::string exact_score_key(std::size_t trial) { return fmt::format("complete score {}", trial); }

// Names come from model files and may be invalid UTF-8.
std::string to_text(const OrderedJson& json) { return dump_json(json); }

OrderedJson to_json(const Goal& goal) {
  return {{"baseline", goal.baseline},
          {"tolerance", goal.tolerance},
          {"relative", goal.relative},
          {"higher_is_better", goal.higher_is_better},
          {"performance_only", goal.performance_only}};
}

Goal goal_from_json(const OrderedJson& json) {
  return {.baseline = json.at("baseline"),
          .tolerance = json.at("tolerance"),
          .relative = json.at("relative"),
          .higher_is_better = json.at("higher_is_better"),
          .performance_only = json.at("performance_only")};
}

Objective objective_from_json(const OrderedJson& about) {
  const OrderedJson value = about.value("objective", OrderedJson(0));
  if (!value.is_number_integer()) return Objective::Performance;
  return static_cast<Objective>(std::clamp<std::int64_t>(json_integer(value), 0, 2));
}

StudyAbout about_from_json(const OrderedJson& json) {
  StudyAbout about;
  about.model = json.value("model", "");
  about.format = json.value("format", "");
  about.metric = json.value("metric", "accuracy");
  about.objective = objective_from_json(json);
  about.goal = goal_from_json(json.at("goal"));
  about.command = json.value("command", "");
  about.started = json.value("started", "");
  const OrderedJson machine = json.value("machine", OrderedJson::object()),
                    versions = json.value("versions", OrderedJson::object());
  about.machine = {machine.value("cpu", ""), machine.value("class", ""), machine.value("cores", 0)};
  about.versions = {versions.value("lpot", ""), versions.value("openvino", "")};
  return about;
}

std::size_t count_ends(const Store& store, StudyId study, std::size_t trials) {
  std::size_t count = 0;
  while (store.get(study, end_key(trials, count + 1))) ++count;
  return count;
}

// Calls `read` and converts JSON errors to a StoreError.
template <typename Read>
auto checked(const char* what, StudyId study, Read&& read) {
  try {
    return read();
  } catch (const OrderedJson::exception&) {
    throw StoreError("store", fmt::format("{} of study {} is damaged. Tune again in another workspace.", what, study));
  }
}

}  // namespace

OrderedJson to_json(const StudyAbout& about) {
  return {{"model", about.model},
          {"format", about.format},
          {"metric", about.metric},
          {"objective", static_cast<int>(about.objective)},
          {"goal", to_json(about.goal)},
          {"command", about.command},
          {"started", about.started},
          {"machine", {{"cpu", about.machine.cpu}, {"class", about.machine.cpu_class}, {"cores", about.machine.cores}}},
          {"versions", {{"lpot", about.versions.lpot}, {"openvino", about.versions.openvino}}}};
}

std::optional<OrderedJson> StudyRecord::read(const std::string& key) const {
  const auto text = store_.get(study_, key);
  if (!text) return std::nullopt;
  OrderedJson json = parse_json_or_discard<OrderedJson>(*text);
  if (json.is_discarded())
    throw StoreError("store",
                     fmt::format("'{}' of study {} is damaged. Tune again in another workspace.", key, study_));
  return json;
}

std::optional<StudyAbout> StudyRecord::about() const {
  const auto json = read(kAbout);
  if (!json) return std::nullopt;
  return checked("the description", study_, [&] { return about_from_json(*json); });
}

std::vector<StudyOp> StudyRecord::ops() const {
  const auto json = read(kOps);
  if (!json) return {};
  return checked("the list of ops", study_, [&] {
    std::vector<StudyOp> ops;
    for (const OrderedJson& op : *json) ops.push_back({op.at("name"), op.value("type", ""), op.value("kept", "")});
    return ops;
  });
}

std::optional<Measurement> StudyRecord::baseline() const {
  const auto text = store_.get(study_, kBaseline);
  return text ? std::optional(measurement_from_json(*text)) : std::nullopt;
}

std::optional<std::string> StudyRecord::baseline_notes() const { return store_.get(study_, kBaselineNotes); }
std::optional<std::string> StudyRecord::first_model_notes() const { return store_.get(study_, kFirstModelNotes); }

std::optional<std::string> StudyRecord::statistics(const StatisticsKey& key) const {
  return store_.get(study_, statistics_key(key));
}

std::optional<PrecisionChoice> StudyRecord::precision() const {
  const auto json = read(kPrecision);
  if (!json) return std::nullopt;
  return checked("the inference precision", study_, [&] {
    const auto precision = parse<InferencePrecision>(json->at("precision").get<std::string>());
    if (!precision)
      throw StoreError("store", fmt::format("study {}: '{}' is not an inference precision", study_,
                                            json->at("precision").get<std::string>()));
    return std::optional(PrecisionChoice{*precision, json->at("unquantized_speedup").get<double>()});
  });
}

std::optional<KernelVariantChoice> StudyRecord::kernel_variants() const {
  const auto text = store_.get(study_, kKernelVariants);
  return text ? std::optional(kernel_variants_from_json(*text)) : std::nullopt;
}

std::optional<double> StudyRecord::seconds_before_trials() const {
  const auto text = store_.get(study_, kSecondsBeforeTrials);
  return text ? std::optional(std::strtod(text->c_str(), nullptr)) : std::nullopt;
}

std::vector<Trial> StudyRecord::trials() const {
  std::vector<Trial> trials = store_.trials(study_);
  for (Trial& trial : trials)
    if (trial.result && !trial.result->complete)
      if (const auto score = store_.get(study_, exact_score_key(trial.number)))
        trial.result = measurement_from_json(*score);
  return trials;
}

std::vector<Probe> StudyRecord::probes() const {
  std::vector<Probe> probes;
  while (const auto text = store_.get(study_, probe_key(probes.size() + 1))) probes.push_back(probe_from_json(*text));
  return probes;
}

std::optional<StudyEnd> StudyRecord::end(std::size_t trials) const {
  const std::size_t count = count_ends(store_, study_, trials);
  if (count == 0) return std::nullopt;
  const auto json = read(end_key(trials, count));
  return checked("the end", study_, [&] {
    return StudyEnd{json->value("reason", ""), json->value("model", ""), json->value("model_bytes", std::size_t{0})};
  });
}

std::optional<StudyDiagnosis> StudyRecord::diagnosis() const {
  const auto ops = read(kDiagnosis), tensors = read(kTensors);
  if (!ops) return std::nullopt;
  return checked("the diagnosis", study_, [&] {
    StudyDiagnosis diagnosis;
    for (const OrderedJson& op : *ops) diagnosis.ops.push_back({op_diagnosis_from_json(op), findings_from_json(op)});
    for (const OrderedJson& tensor : tensors.value_or(OrderedJson::array()))
      diagnosis.tensors.push_back(tensor_histogram_from_json(tensor));
    return diagnosis;
  });
}

void StudyWriter::set_about(const StudyAbout& about) { store_.put(study_, kAbout, to_text(to_json(about))); }

void StudyWriter::set_ops(const std::vector<StudyOp>& ops) {
  OrderedJson json = OrderedJson::array();
  for (const StudyOp& op : ops) {
    json.push_back({{"name", op.name}, {"type", op.type}});
    if (!op.fixed_because.empty()) json.back()["kept"] = op.fixed_because;
  }
  store_.put(study_, kOps, to_text(json));
}

void StudyWriter::set_baseline(const Measurement& measured) { store_.put(study_, kBaseline, to_json(measured)); }
void StudyWriter::set_baseline_notes(const std::string& bytes) { store_.put(study_, kBaselineNotes, bytes); }
void StudyWriter::set_first_model_notes(const std::string& bytes) { store_.put(study_, kFirstModelNotes, bytes); }

void StudyWriter::set_statistics(const StatisticsKey& key, const std::string& bytes) {
  store_.put(study_, statistics_key(key), bytes);
}

void StudyWriter::set_precision(const PrecisionChoice& choice) {
  store_.put(study_, kPrecision,
             to_text({{"precision", std::string(to_string(choice.inference_precision))},
                      {"unquantized_speedup", choice.unquantized_speedup}}));
}

void StudyWriter::set_kernel_variants(const KernelVariantChoice& choice) {
  store_.put(study_, kKernelVariants, to_json(choice));
}

void StudyWriter::set_seconds_before_trials(double seconds) {
  store_.put(study_, kSecondsBeforeTrials, std::to_string(seconds));
}

void StudyWriter::append(const Probe& probe, std::size_t number) {
  store_.put(study_, probe_key(number), to_json(probe));
}

void StudyWriter::set_end(std::size_t trials, const StudyEnd& end) {
  if (this->end(trials) == end) return;
  store_.put(study_, end_key(trials, count_ends(store_, study_, trials) + 1),
             to_text({{"reason", end.reason}, {"model", end.model}, {"model_bytes", end.model_bytes}}));
}

void StudyWriter::set_diagnosis(const std::vector<OpDiagnosis>& ops, const std::vector<TensorHistogram>& tensors) {
  OrderedJson diagnosis = OrderedJson::array(), histograms = OrderedJson::array();
  for (const OpDiagnosis& op : ops) diagnosis.push_back(to_json(op));
  for (const TensorHistogram& tensor : tensors) histograms.push_back(to_json(tensor));
  store_.put(study_, kDiagnosis, to_text(diagnosis));
  store_.put(study_, kTensors, to_text(histograms));
}

}  // namespace lpot
