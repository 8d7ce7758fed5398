#include "lpot/report/study_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "lpot/core/error.h"
#include "lpot/core/json.h"
#include "lpot/plan/goal.h"
#include "lpot/plan/plan_description.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/report/ranked.h"
#include "lpot/store/study_record.h"

namespace lpot {
namespace {

// JSON has no infinities.
OrderedJson number(double value) { return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr); }

std::string text_of(const TensorScheme& scheme) {
  return fmt::format("{} {} {}{}", to_string(scheme.symmetry), to_string(scheme.granularity),
                     to_string(scheme.algorithm), scheme.bits == 8 ? "" : fmt::format(" {} bits", scheme.bits));
}

std::string text_of(const OpPlan& op) {
  if (!op.is_int8()) return std::string(to_string(op.precision));
  return fmt::format("int8: {}weights {}{}",
                     op.weights_only ? "" : fmt::format("activation {}; ", text_of(op.activation)), text_of(op.weight),
                     op.variant == KernelVariant::Plain ? "" : "; as convolution");
}

OrderedJson measured_json(const Measurement& measured) {
  OrderedJson json{{"accuracy", number(measured.accuracy)},
                   {"latency_ms", number(measured.latency_ms)},
                   {"fp32_latency_ms", number(measured.latency_ms * measured.speedup)},  // in the same run
                   {"speedup", number(measured.speedup)},
                   {"speedup_low", number(measured.speedup_low)},
                   {"speedup_high", number(measured.speedup_high)},
                   {"speedup_vs_default", number(measured.speedup_vs_default)},
                   {"cores", measured.cores},
                   {"size_bytes", measured.size_bytes},
                   {"samples", measured.samples},
                   {"complete", measured.complete},
                   {"metrics", OrderedJson::object()}};
  for (const auto& [name, value] : measured.metrics) json["metrics"][name] = number(value);
  return json;
}

// Builds the view of one study.
class ViewBuilder {
 public:
  ViewBuilder(const Store& store, const StudyEntry& entry)
      : entry_(entry),
        record_(store, entry.id),
        about_(record_.about()),
        trials_(record_.trials()),
        probes_(record_.probes()) {
    goal_.performance_only = true;  // until the goal is known
    if (about_) goal_ = about_->goal;
    std::vector<StudyOp> ops = record_.ops();
    if (ops.empty() && !trials_.empty())  // older versions did not record them
      for (const auto& [name, op] : trials_.front().plan.ops) ops.push_back({name, ""});
    for (const StudyOp& op : ops) {
      ops_.push_back({{"name", op.name}, {"type", op.type}});
      if (!op.fixed_because.empty()) ops_.back()["kept"] = op.fixed_because;
    }
  }

  OrderedJson build() {
    const std::optional<StudyDiagnosis> diagnosis = record_.diagnosis();
    add_measured_of_ops(diagnosis);
    OrderedJson history = build_history();
    const std::optional<StudyEnd> end = record_.end(trials_.size());
    if (end) best_ = best_known(trials_, goal_, objective());
    explain_precisions();
    OrderedJson view = build_head(end);
    view["best"] = best_ ? OrderedJson(best_->number) : OrderedJson(nullptr);
    view["front"] = front(trials_, goal_.higher_is_better);
    view["ops"] = std::move(ops_);
    view["choices"] = std::move(choices_);
    view["trials"] = std::move(history["trials"]);
    view["probes"] = std::move(history["probes"]);
    view["probes_text"] = probes_.empty() ? "" : probes_text(probes_);
    view["ranked"] = ranked_json(ranked_candidates(probes_, trials_, goal_));
    view["tensors"] = OrderedJson::array();
    if (diagnosis)
      for (const TensorHistogram& tensor : diagnosis->tensors) view["tensors"].push_back(to_json(tensor));
    return view;
  }

 private:
  Objective objective() const { return about_ ? about_->objective : Objective::Performance; }

  OrderedJson build_head(const std::optional<StudyEnd>& end) const {
    OrderedJson view{{"study", entry_.id},
                     {"name", entry_.identity.model_name},
                     {"fingerprint", entry_.identity.model_fingerprint},
                     {"data", entry_.identity.data},
                     {"state", end ? "ended" : "open"},
                     {"reason", end ? end->reason : ""},
                     {"model", end ? end->model : ""},
                     {"model_bytes", end ? end->model_bytes : 0},
                     {"seconds", seconds_},
                     {"about", about_ ? to_json(*about_) : OrderedJson::object()},
                     {"settings", parse_json_or_discard<OrderedJson>(entry_.identity.settings)},
                     {"metric", about_ ? about_->metric : "accuracy"}};
    view["goal"] = nullptr;
    if (about_)
      view["goal"] = {{"text", goal_.describe()},
                      {"threshold", goal_.performance_only ? OrderedJson(nullptr) : number(goal_.threshold())},
                      {"higher_is_better", goal_.higher_is_better},
                      {"met", best_ && goal_.met(best_->result->accuracy)}};
    const auto baseline = record_.baseline();
    view["baseline"] = baseline ? measured_json(*baseline) : OrderedJson(nullptr);
    return view;
  }

  static void add_diagnosis(OrderedJson& op, const StudyDiagnosis::Op& found) {
    const OpDiagnosis& diagnosis = found.op;
    if (diagnosis.noise) op["noise"] = *diagnosis.noise;
    if (diagnosis.decibels()) op["decibels"] = *diagnosis.decibels();
    op["saturates"] = diagnosis.saturates;
    op["dead"] = diagnosis.channels.dead;
    op["outliers"] = diagnosis.channels.outliers;
    op["findings"] = OrderedJson::array();
    for (const Finding& finding : found.findings)
      op["findings"].push_back({{"kind", finding.kind}, {"text", finding.text}, {"yaml", finding.yaml}});
  }

  void add_measured_of_ops(const std::optional<StudyDiagnosis>& diagnosis) {
    std::map<std::string, const StudyDiagnosis::Op*> diagnosed;
    if (diagnosis)
      for (const StudyDiagnosis::Op& op : diagnosis->ops) diagnosed.emplace(op.op.op, &op);
    const KernelVariantChoice variants = record_.kernel_variants().value_or(KernelVariantChoice{});
    const std::set<std::string> slower(variants.slower_in_int8.begin(), variants.slower_in_int8.end());
    for (OrderedJson& op : ops_) {
      const std::string name = op.value("name", "");
      if (const auto found = diagnosed.find(name); found != diagnosed.end()) add_diagnosis(op, *found->second);
      const auto times = variants.times.find(name);
      if (times == variants.times.end()) continue;
      const auto variant = variants.variants.find(name);
      const bool is_plain = variant == variants.variants.end();
      op["fp32_ms"] = times->second.fp32_ms;
      op["form"] = to_string(is_plain ? KernelVariant::Plain : variant->second);
      op["int8_ms"] = is_plain ? times->second.plain_ms : times->second.convolution_ms;
      op["slower_in_int8"] = slower.contains(name);
    }
  }

  std::size_t choice_of(const OpPlan* op) {
    const OpPlan plan = op ? *op : OpPlan{};
    const auto index = static_cast<std::size_t>(std::find(seen_.begin(), seen_.end(), plan) - seen_.begin());
    if (index == seen_.size()) {
      seen_.push_back(plan);
      choices_.push_back(text_of(plan));
    }
    return index;
  }

  OrderedJson choices_of(const Plan& plan) {
    OrderedJson chosen = OrderedJson::array();
    for (const OrderedJson& op : ops_) {
      const auto found = plan.ops.find(op.value("name", ""));
      chosen.push_back(choice_of(found == plan.ops.end() ? nullptr : &found->second));
    }
    return chosen;
  }

  // The trials and the probes, each with its time since the start.
  OrderedJson build_history() {
    OrderedJson trials = OrderedJson::array(), probes = OrderedJson::array();
    seconds_ = record_.seconds_before_trials().value_or(0);
    auto probe = probes_.begin();
    const auto add_probes = [&](std::size_t before_trial) {
      for (; probe != probes_.end() && probe->before_trial <= before_trial; ++probe) {
        seconds_ += probe->seconds;
        probes.push_back({{"at", seconds_},
                          {"before_trial", probe->before_trial},
                          {"level", probe->level},
                          {"distance", number(probe->distance)},
                          {"seconds", probe->seconds},
                          {"fp32_ops", probe->plan.fallback().size()}});
      }
    };
    for (const Trial& trial : trials_) {
      add_probes(trial.number);
      seconds_ += trial.seconds;
      OrderedJson json{{"number", trial.number},
                       {"at", seconds_},
                       {"seconds", trial.seconds},
                       {"fp32_ops", trial.plan.fallback().size()},
                       {"precision", std::string(to_string(trial.plan.inference_precision))},
                       {"ranges", describe_ranges(trial.plan)},
                       {"recipes", describe_recipes(trial.plan.recipes, recipe_declarations())},
                       {"ops", choices_of(trial.plan)}};
      if (trial.result) {
        json.update(measured_json(*trial.result));
        json["meets_goal"] = goal_.met(trial.result->accuracy);
        if (!best_ || is_better(trial, *best_, goal_, objective())) best_ = &trial;
      } else {
        json["error"] = trial.error;
      }
      json["best_so_far"] = best_ ? OrderedJson(best_->number) : OrderedJson(nullptr);
      trials.push_back(std::move(json));
    }
    add_probes(trials_.size() + 1);
    return {{"trials", std::move(trials)}, {"probes", std::move(probes)}};
  }

  // "why": the reason why an op of the best plan is not in int8. "why_int8": why the noisiest op in int8 stayed there.
  void explain_precisions() {
    if (!best_) return;
    std::vector<double> noises;
    for (const OrderedJson& op : ops_)
      if (op.contains("noise")) noises.push_back(op["noise"]);
    std::sort(noises.rbegin(), noises.rend());
    OrderedJson* noisiest = nullptr;
    bool any_fell_back = false;
    for (OrderedJson& op : ops_) {
      const Precision precision = precision_in(*best_, op.value("name", ""));
      op["precision"] = std::string(to_string(precision));
      if (precision != Precision::Int8) {
        op["why"] = why_fp32(op, noises);
        any_fell_back = any_fell_back || (!op.contains("kept") && !op.value("slower_in_int8", false));
      } else if (op.contains("noise") && (!noisiest || op["noise"] > (*noisiest)["noise"])) {
        noisiest = &op;
      }
    }
    if (noisiest) (*noisiest)["why_int8"] = why_int8(any_fell_back) + rank_text(*noisiest, noises);
  }

  std::string why_fp32(const OrderedJson& op, const std::vector<double>& noises) const {
    if (op.contains("kept")) return op["kept"];
    if (op.value("slower_in_int8", false))
      return fmt::format("It is slower in int8 on this CPU: {:.3f} ms, not quantized {:.3f} ms.",
                         op.value("int8_ms", 0.0), op.value("fp32_ms", 0.0));
    return why_tuned(op.value("name", "")) + rank_text(op, noises);
  }

  std::string why_int8(bool any_fell_back) const {
    if (!goal_.met(best_->result->accuracy))
      return "The goal is not met, but no trial without int8 for this op was better.";
    return any_fell_back ? "The fallback of other ops was enough: the goal is met with this op in int8."
                         : "No fallback was needed: the goal is met with this op in int8.";
  }

  static Precision precision_in(const Trial& trial, const std::string& op) {
    const auto found = trial.plan.ops.find(op);
    return found == trial.plan.ops.end() ? Precision::Fp32 : found->second.precision;
  }

  std::string why_tuned(const std::string& op) const {
    const Trial* before = nullptr;  // the last trial before the best one that had it in int8
    for (const Trial& trial : trials_)
      if (trial.number < best_->number && precision_in(trial, op) == Precision::Int8) before = &trial;
    if (!before)
      return std::none_of(probes_.begin(), probes_.end(), [](const Probe& probe) { return probe.level == 0; })
                 ? "No trial before the best one had this op in int8."
                 : "Probes on a few samples showed a large error with this op in int8, so no trial used it.";
    if (!before->result) return fmt::format("Trial {} had this op in int8 and failed.", before->number);
    return fmt::format("Trial {} had this op in int8 and reached {:.4f}{}{}.", before->number, before->result->accuracy,
                       before->result->complete ? "" : " (estimate)",
                       goal_.met(before->result->accuracy) ? ", but this trial is faster" : ", which misses the goal");
  }

  static std::string rank_text(const OrderedJson& op, const std::vector<double>& noises) {
    if (!op.contains("noise")) return "";
    const double noise = op["noise"];
    const auto rank = std::lower_bound(noises.begin(), noises.end(), noise, std::greater<>()) - noises.begin() + 1;
    return fmt::format(" Its expected noise is {:.2g}% of its signal (rank {} of {} by noise).", 100 * noise, rank,
                       noises.size());
  }

  const StudyEntry& entry_;
  StudyRecord record_;
  std::optional<StudyAbout> about_;
  std::vector<Trial> trials_;
  std::vector<Probe> probes_;
  Goal goal_;
  OrderedJson ops_ = OrderedJson::array(), choices_ = OrderedJson::array();
  std::vector<OpPlan> seen_;  // what the choices are
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

OrderedJson study_view(const Store& store, const StudyEntry& entry) { return ViewBuilder(store, entry).build(); }

StudyEntry find_study(const Store& store, StudyId wanted) {
  const std::vector<StudyEntry> records = store.studies();
  if (records.empty())
    throw StoreError("report", "there is no study in this workspace yet; start one with 'lpot tune'");
  if (wanted == 0) {
    const auto last = std::find_if(records.rbegin(), records.rend(), [&](const StudyEntry& record) {
      return StudyRecord(store, record.id).baseline().has_value();
    });
    return last == records.rend() ? records.back() : *last;
  }
  std::vector<StudyId> numbers;
  for (const StudyEntry& record : records) {
    if (record.id == wanted) return record;
    numbers.push_back(record.id);
  }
  throw StoreError("report",
                   fmt::format("there is no study {}; this workspace has {}", wanted, fmt::join(numbers, ", ")));
}

}  // namespace lpot
