#include "lpot/tune/worker.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lpot/calibrate/observe.h"
#include "lpot/core/error.h"
#include "lpot/core/json.h"
#include "lpot/distributed/worker.h"
#include "lpot/evaluate/evaluate.h"
#include "lpot/model/load.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/tune/candidate_builder.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

constexpr const char* kCompareOrder = "compare";
constexpr const char* kStatisticsOrder = "statistics";
constexpr std::string_view kRescaled = "rescaled ";  // begins the derivation of a rescaled source

std::string to_order(const Json& json) {
  const std::vector<std::uint8_t> encoded = Json::to_cbor(json);
  return {encoded.begin(), encoded.end()};
}

// An order that is done as soon as it arrives, and has no jobs.
WorkerTask nothing_more() {
  return [](Jobs& jobs) {
    while (jobs.next(true)) continue;
    return std::string();
  };
}

// The model, data and statistics that a worker has read so far, for the next order.
class StudyOrders {
 public:
  StudyOrders(int rank, std::function<Config()> config, UserComponents user)
      : rank_(rank), load_config_(std::move(config)), user_(std::move(user)) {}

  WorkerTask operator()(const std::string& bytes) {
    const Json order = Json::from_cbor(bytes);
    const std::string work = order.at("work");
    if (work == kCompareOrder) return compare(order);
    if (work == kStatisticsOrder) return store_statistics(order);
    if (work == kObserveOrder) return observe_task(order, rank_, model_for(order.at("model")), calibration_data());
    if (work == kEvaluateOrder) return evaluate_task(order, rank_, model_for(order.at("model")), evaluation_data());
    throw DistributedError("distributed",
                           fmt::format("unknown order '{}'; start the same version of lpot on every rank", work));
  }

 private:
  const Config& config() {
    if (!config_) config_ = load_config_();
    return *config_;
  }

  const Model& source(const Json& order) {
    const std::filesystem::path path = order.at("source").get<std::string>();
    if (source_.source != path || !source_.graph) {
      builder_.reset();
      source_ = load_model(path, load_options(config().model));
    }
    if (source_.fingerprint != order.at("fingerprint").get<std::string>())
      throw DistributedError(
          "distributed",
          fmt::format("{}: the model differs from rank 0's; give every rank the same file", path.string()));
    return source_;
  }

  Model model_for(const Json& order) {
    const Model& from = source(order);
    const std::string derivation = order.at("derivation");
    if (derivation.empty()) return from;
    if (derivation.starts_with(kRescaled))
      return rescaled(from, recipes_from_json(derivation.substr(kRescaled.size())));
    if (!builder_) builder_.emplace(source_, statistics_, nullptr);
    return apply(from, builder_->edits(plan_from_json(derivation)));
  }

  const DataLoader& calibration_data() {
    if (!calibration_) calibration_ = first_loader(config(), source_, user_).value;  // rank 0 logs the warnings
    return *calibration_;
  }

  const DataLoader& evaluation_data() {
    if (!evaluation_) {
      evaluation_ = evaluation_loader(config(), user_);
      if (evaluation_->is_slow()) evaluation_ = evaluation_->cached();
    }
    return *evaluation_;
  }

  WorkerTask compare(const Json& order) {
    source(order.at("model"));
    const auto check = [&](const char* what, const DataLoader& here) {
      const std::string there = order.at(what);
      if (there != here.identity())
        throw DistributedError(
            "distributed", fmt::format("{} data differ from rank 0's: {} instead of {}", what, here.identity(), there));
    };
    if (order.contains("calibration")) check("calibration", calibration_data());
    if (order.contains("evaluation")) check("evaluation", evaluation_data());
    return nothing_more();
  }

  WorkerTask store_statistics(const Json& order) {
    builder_.reset();
    std::map<StatisticsKey, Statistics> all;
    for (const Json& one : order.at("all")) {
      const auto& bytes = one.at("bytes").get_binary();
      all.emplace(StatisticsKey{one.at("sampling_size"), recipes_from_json(one.at("rescaling"))},
                  statistics_from_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    }
    statistics_ = StatisticsByPlan(std::move(all));
    return nothing_more();
  }

  int rank_;
  std::function<Config()> load_config_;
  UserComponents user_;
  std::optional<Config> config_;
  Model source_;
  StatisticsByPlan statistics_;
  std::optional<CandidateBuilder> builder_;  // of source_ and statistics_
  std::optional<DataLoader> calibration_, evaluation_;
};

}  // namespace

void run_study_worker(Transport& transport, std::function<Config()> config, UserComponents user) {
  const auto orders = std::make_shared<StudyOrders>(transport.rank(), std::move(config), std::move(user));
  run_worker(transport, [orders](const std::string& order) { return (*orders)(order); });
}

std::unique_ptr<Coordinator> make_coordinator(Transport* transport) {
  return transport && transport->size() > 1 ? std::make_unique<Coordinator>(*transport) : nullptr;
}

void compare_with_workers(Coordinator& coordinator, const Model& model, const SharedData& data,
                          const Observer& observer) {
  Json order{{"work", kCompareOrder},
             {"model", {{"source", model.source.string()}, {"fingerprint", model.fingerprint}}}};
  if (data.calibration) order["calibration"] = data.calibration->identity();
  if (data.evaluation) order["evaluation"] = data.evaluation->identity();
  coordinator.run({.order = to_order(order)}, observer);
}

void send_statistics(Coordinator& coordinator, const StatisticsByPlan& statistics, const Observer& observer) {
  Json all = Json::array();
  for (const auto& [key, of_key] : statistics.all()) {
    const std::string bytes = to_bytes(of_key);
    all.push_back({{"sampling_size", key.sampling_size},
                   {"rescaling", Json::parse(to_json(key.rescaling))},
                   {"bytes", Json::binary({bytes.begin(), bytes.end()})}});
  }
  coordinator.run({.order = to_order({{"work", kStatisticsOrder}, {"all", std::move(all)}})}, observer);
}

std::string derivation_of(const Plan& final_plan) { return to_json(final_plan); }

std::string derivation_of(const Recipes& rescaling) { return std::string(kRescaled) + to_json(rescaling); }

}  // namespace lpot
