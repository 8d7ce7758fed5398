#include "lpot/report/study_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lpot/core/error.h"
#include "lpot/core/json.h"
#include "lpot/tune/record.h"
#include "lpot/tune/study.h"

namespace lpot {
namespace {

using Json = nlohmann::ordered_json;

// What is kept under a key as JSON, or `otherwise`.
Json kept(const Store& store, StudyId study, const std::string& key, Json otherwise) {
  const auto text = store.get(study, key);
  if (!text) return otherwise;
  Json json = parse_json_or_discard<Json>(*text);
  if (json.type() != otherwise.type() && !otherwise.is_null())
    throw StoreError("report", fmt::format("'{}' of study {} is damaged in the store", key, study));
  return json;
}

// JSON has no infinities.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string text_of(const TensorScheme& scheme) {
  return fmt::format("{} {} {}{}", to_string(scheme.symmetry), to_string(scheme.granularity),
                     to_string(scheme.algorithm), scheme.bits == 8 ? "" : fmt::format(" {} bits", scheme.bits));
}

std::string text_of(const OpPlan& op) {
  if (op.precision == Precision::Fp32) return "fp32";
  return fmt::format("int8: {}weights {}{}",
                     op.weights_only ? "" : fmt::format("activation {}; ", text_of(op.activation)), text_of(op.weight),
                     op.form == Form::Plain ? "" : "; as convolution");
}

std::vector<std::string> text_of(const Recipes& recipes) {
  std::vector<std::string> names;
  const auto add = [&](bool is_on, const char* name) {
    if (is_on) names.push_back(name);
  };
  add(recipes.smooth_quant, "smooth_quant");
  add(recipes.bias_correction, "fast_bias_correction");
  add(recipes.weight_correction, "weight_correction");
  add(recipes.residual_sums, "residual_sums");
  add(recipes.int8_tables, "int8_tables");
  add(recipes.cross_layer_equalization, "cross_layer_equalization");
  return names;
}

Json measured_json(const Measured& measured) {
  Json json{{"accuracy", number(measured.accuracy)},
            {"latency_ms", number(measured.latency_ms)},
            {"speedup", number(measured.speedup)},
            {"size_bytes", measured.size_bytes},
            {"samples", measured.samples},
            {"complete", measured.complete},
            {"metrics", Json::object()}};
  for (const auto& [name, value] : measured.metrics) json["metrics"][name] = number(value);
  return json;
}

// The view of one study while it is put together.
class Maker {
 public:
  Maker(const Store& store, const StudyRecord& record) : store_(store), record_(record) {
    const StudyId id = record.id;
    about_ = kept(store, id, "about", Json::object());
    if (!about_.empty()) {
      goal_ = goal_from_json(*store.get(id, "about"));
      objective_ = objective_from_json(*store.get(id, "about"));
    } else {
      goal_.performance_only = true;  // nothing is known of it
    }
    trials_ = trials_with_scores(store, id);
    while (const auto probe = store.get(id, fmt::format("probe {}", probes_.size() + 1)))
      probes_.push_back(probe_from_json(*probe));
    ops_ = kept(store, id, "ops", Json::array());
    if (ops_.empty() && !trials_.empty())  // a study of before this was recorded
      for (const auto& [name, op] : trials_.front().plan.ops) ops_.push_back({{"name", name}, {"type", ""}});
  }

  Json make() {
    add_measured_of_ops();
    Json trials = Json::array(), probes = Json::array();
    add_history(trials, probes);
    const Json end = kept(store_, record_.id, end_key(trials_.size()), Json::object());
    if (!end.empty()) best_ = best_known(trials_, goal_, objective_);
    explain_fallbacks();
    Json view{{"study", record_.id},
              {"name", record_.identity.model_name},
              {"fingerprint", record_.identity.model_fingerprint},
              {"data", record_.identity.data},
              {"state", end.empty() ? "open" : "ended"},
              {"reason", end.value("reason", "")},
              {"model", end.value("model", "")},
              {"model_bytes", end.value("model_bytes", 0)},
              {"seconds", seconds_},
              {"about", about_},
              {"settings", parse_json_or_discard<Json>(record_.identity.settings)},
              {"metric", about_.value("metric", "accuracy")}};
    view["goal"] = nullptr;
    if (!about_.empty())
      view["goal"] = {{"text", goal_.describe()},
                      {"threshold", goal_.performance_only ? Json(nullptr) : number(goal_.threshold())},
                      {"higher_is_better", goal_.higher_is_better},
                      {"met", best_ && goal_.met(best_->result->accuracy)}};
    const auto baseline = store_.get(record_.id, "baseline");
    view["baseline"] = baseline ? measured_json(measured_from_json(*baseline)) : Json(nullptr);
    view["best"] = best_ ? Json(best_->number) : Json(nullptr);
    view["front"] = front(trials_, goal_.higher_is_better);
    view["ops"] = std::move(ops_);
    view["choices"] = std::move(choices_);
    view["trials"] = std::move(trials);
    view["probes"] = std::move(probes);
    view["tensors"] = kept(store_, record_.id, "tensors", Json::array());
    return view;
  }

 private:
  void add_measured_of_ops() {
    std::map<std::string, Json> diagnosed;
    for (Json& op : kept_array("diagnosis")) diagnosed.emplace(op.value("op", ""), op);
    // An ordered object of JSON looks through all its keys for one.
    const Json forms = kept(store_, record_.id, "forms", Json::object());
    std::map<std::string, Json> times;
    for (const auto& [name, of_op] : forms.items()) times.emplace(name, of_op);
    for (Json& op : ops_) {
      const std::string name = op.value("name", "");
      if (const auto found = diagnosed.find(name); found != diagnosed.end())
        for (const char* key : {"noise", "decibels", "saturates", "dead", "outliers", "findings"})
          if (found->second.contains(key)) op[key] = found->second[key];
      const auto timed = times.find(name);
      if (timed == times.end()) continue;
      const Json& of_op = timed->second;
      op["fp32_ms"] = of_op.value("fp32_ms", 0.0);
      op["form"] = of_op.value("form", "plain");
      op["int8_ms"] = op["form"] == "plain" ? of_op.value("plain_ms", 0.0) : of_op.value("convolution_ms", 0.0);
      op["slower_in_int8"] = of_op.value("slower_in_int8", false);
    }
  }

  Json& kept_array(const std::string& key) { return array_ = kept(store_, record_.id, key, Json::array()); }

  std::size_t choice_of(const OpPlan* op) {
    const OpPlan plan = op ? *op : OpPlan{};
    const auto index = static_cast<std::size_t>(std::find(seen_.begin(), seen_.end(), plan) - seen_.begin());
    if (index == seen_.size()) {
      seen_.push_back(plan);
      choices_.push_back(text_of(plan));
    }
    return index;
  }

  Json choices_of(const Plan& plan) {
    Json chosen = Json::array();
    for (const Json& op : ops_) {
      const auto found = plan.ops.find(op.value("name", ""));
      chosen.push_back(choice_of(found == plan.ops.end() ? nullptr : &found->second));
    }
    return chosen;
  }

  void add_history(Json& trials, Json& probes) {
    if (const auto before = store_.get(record_.id, "seconds_before_trials")) seconds_ = std::atof(before->c_str());
    auto probe = probes_.begin();
    const auto add_probes = [&](std::size_t before_trial) {
      for (; probe != probes_.end() && probe->before_trial <= before_trial; ++probe) {
        seconds_ += probe->seconds;
        probes.push_back({{"at", seconds_},
                          {"before_trial", probe->before_trial},
                          {"distance", number(probe->distance)},
                          {"seconds", probe->seconds},
                          {"fp32_ops", probe->plan.fallback().size()}});
      }
    };
    for (const Trial& trial : trials_) {
      add_probes(trial.number);
      seconds_ += trial.seconds;
      Json json{{"number", trial.number},
                {"at", seconds_},
                {"seconds", trial.seconds},
                {"fp32_ops", trial.plan.fallback().size()},
                {"recipes", text_of(trial.plan.recipes)},
                {"ops", choices_of(trial.plan)}};
      if (trial.result) {
        json.update(measured_json(*trial.result));
        json["meets_goal"] = goal_.met(trial.result->accuracy);
        if (!best_ || is_better(trial, *best_, goal_, objective_)) best_ = &trial;
      } else {
        json["error"] = trial.error;
      }
      json["best_so_far"] = best_ ? Json(best_->number) : Json(nullptr);
      trials.push_back(std::move(json));
    }
    add_probes(trials_.size() + 1);
  }

  // Why each op of the best plan is in fp32: as a sentence.
  void explain_fallbacks() {
    if (!best_) return;
    std::vector<double> noises;
    for (const Json& op : ops_)
      if (op.contains("noise")) noises.push_back(op["noise"]);
    std::sort(noises.rbegin(), noises.rend());
    for (Json& op : ops_) {
      const std::string name = op.value("name", "");
      op["precision"] = precision_in(*best_, name) == Precision::Fp32 ? "fp32" : "int8";
      if (op["precision"] == "int8") continue;
      if (op.contains("kept")) {
        op["why"] = op["kept"];
      } else if (op.value("slower_in_int8", false)) {
        op["why"] = fmt::format("It is slower in int8 on this CPU: {:.3f} ms, fp32 {:.3f} ms.",
                                op.value("int8_ms", 0.0), op.value("fp32_ms", 0.0));
      } else {
        op["why"] = why_tuned(name) + rank_text(op, noises);
      }
    }
  }

  static Precision precision_in(const Trial& trial, const std::string& op) {
    const auto found = trial.plan.ops.find(op);
    return found == trial.plan.ops.end() ? Precision::Fp32 : found->second.precision;
  }

  std::string why_tuned(const std::string& op) const {
    const Trial* before = nullptr;  // the last trial until the best one that had it in int8
    for (const Trial& trial : trials_)
      if (trial.number < best_->number && precision_in(trial, op) == Precision::Int8) before = &trial;
    if (!before)
      return probes_.empty() ? "No trial before the best one had it in int8."
                             : "Probes of a few samples spoke against int8 before any trial had it so.";
    if (!before->result) return fmt::format("Trial {}, with it in int8, failed.", before->number);
    return fmt::format("Trial {}, with it in int8, reached {}{:.4f}{}.", before->number,
                       before->result->complete ? "" : "about ", before->result->accuracy,
                       goal_.met(before->result->accuracy) ? "; this trial is the faster one" : ", short of the goal");
  }

  static std::string rank_text(const Json& op, const std::vector<double>& noises) {
    if (!op.contains("noise")) return "";
    const double noise = op["noise"];
    const auto rank = std::lower_bound(noises.begin(), noises.end(), noise, std::greater<>()) - noises.begin() + 1;
    return fmt::format(" Its expected noise is {:.2g} of its signal, number {} of {}.", noise, rank, noises.size());
  }

  const Store& store_;
  const StudyRecord& record_;
  Json about_, ops_, array_, choices_ = Json::array();
  std::vector<OpPlan> seen_;  // what the choices are
  Goal goal_;
  Objective objective_ = Objective::Performance;
  std::vector<Trial> trials_;
  std::vector<Probe> probes_;
  const Trial* best_ = nullptr;
  double seconds_ = 0;
};

}  // namespace

std::vector<std::size_t> front(const std::vector<Trial>& trials, bool higher_is_better) {
  std::vector<const Trial*> sorted;
  for (const Trial& trial : trials)
    if (trial.result && trial.result->complete) sorted.push_back(&trial);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Trial* a, const Trial* b) { return a->result->speedup > b->result->speedup; });
  std::vector<std::size_t> numbers;
  const Trial* last = nullptr;
  for (const Trial* trial : sorted) {
    const double accuracy = trial->result->accuracy;
    if (last && (higher_is_better ? accuracy <= last->result->accuracy : accuracy >= last->result->accuracy)) continue;
    numbers.push_back(trial->number);
    last = trial;
  }
  return numbers;
}

Json study_view(const Store& store, const StudyRecord& record) { return Maker(store, record).make(); }

StudyRecord find_study(const Store& store, StudyId wanted) {
  const std::vector<StudyRecord> records = store.studies();
  if (records.empty()) throw StoreError("report", "no study is in this workspace yet; 'lpot tune' makes one");
  if (wanted == 0) return records.back();
  std::vector<StudyId> numbers;
  for (const StudyRecord& record : records) {
    if (record.id == wanted) return record;
    numbers.push_back(record.id);
  }
  throw StoreError("report", fmt::format("no study {}; those there are: {}", wanted, fmt::join(numbers, ", ")));
}

}  // namespace lpot
