#include "lpot/tune/help.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lpot/calibrate/observe.h"
#include "lpot/core/error.h"
#include "lpot/evaluate/evaluate.h"
#include "lpot/model/load.h"
#include "lpot/share/helper.h"
#include "lpot/tune/edits_of_last.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

using Json = nlohmann::json;

constexpr const char* kCompareOrder = "compare";
constexpr const char* kStatisticsOrder = "statistics";

std::string to_order(const Json& json) {
  const std::vector<std::uint8_t> encoded = Json::to_cbor(json);
  return {encoded.begin(), encoded.end()};
}

// An order that is carried out when it comes, and has no jobs.
Duty nothing_more() {
  return [](Jobs& jobs) {
    while (jobs.next(true)) continue;
    return std::string();
  };
}

// What a helper has read and made, for the next order.
class Helper {
 public:
  Helper(int rank, std::function<Config()> config, OwnParts own)
      : rank_(rank), load_config_(std::move(config)), own_(std::move(own)) {}

  Duty operator()(const std::string& bytes) {
    const Json order = Json::from_cbor(bytes);
    const std::string work = order.at("work");
    if (work == kCompareOrder) return compare(order);
    if (work == kStatisticsOrder) return keep_statistics(order);
    if (work == kObserveOrder) return observe_work(order, rank_, model_for(order.at("model")), calibration_data());
    if (work == kEvaluateOrder) return evaluate_work(order, rank_, model_for(order.at("model")), evaluation_data());
    throw TeamError("team", fmt::format("an order '{}' that is not known; are all the same lpot?", work));
  }

 private:
  const Config& config() {
    if (!config_) config_ = load_config_();
    return *config_;
  }

  const Model& source(const Json& order) {
    const std::filesystem::path path = order.at("source").get<std::string>();
    if (source_.source != path || !source_.graph) {
      edits_.reset();
      source_ = load_model(path, load_options(config().model));
    }
    if (source_.fingerprint != order.at("fingerprint").get<std::string>())
      throw TeamError("team", fmt::format("{} is another model here than at rank 0", path.string()));
    return source_;
  }

  Model model_for(const Json& order) {
    const Model& from = source(order);
    const std::string recipe = order.at("recipe");
    if (recipe.empty()) return from;
    if (recipe == kEqualized) {
      Recipes recipes;
      recipes.cross_layer_equalization = true;
      return rescaled(from, recipes);
    }
    if (!edits_) edits_.emplace(source_, statistics_, [](const Plan& plan) { return plan; });
    return apply(from, edits_->of(plan_from_json(recipe)));
  }

  const DataLoader& calibration_data() {
    std::vector<std::string> told_by_rank_0;
    if (!calibration_) calibration_ = first_loader(config(), source_, told_by_rank_0, own_);
    return *calibration_;
  }

  const DataLoader& evaluation_data() {
    if (!evaluation_) {
      evaluation_ = evaluation_loader(config(), own_);
      if (evaluation_->is_slow()) evaluation_ = evaluation_->cached();
    }
    return *evaluation_;
  }

  Duty compare(const Json& order) {
    source(order.at("model"));
    const auto check = [&](const char* what, const DataLoader& here) {
      const std::string there = order.at(what);
      if (there != here.identity())
        throw TeamError("team", fmt::format("the {} data are others here than at rank 0: {} instead of {}", what,
                                            here.identity(), there));
    };
    if (order.contains("calibration")) check("calibration", calibration_data());
    if (order.contains("evaluation")) check("evaluation", evaluation_data());
    return nothing_more();
  }

  Duty keep_statistics(const Json& order) {
    edits_.reset();
    statistics_.all.clear();
    for (const Json& one : order.at("all")) {
      const auto& bytes = one.at("bytes").get_binary();
      statistics_.all.emplace(StatisticsByPlan::Key{one.at("sampling_size"), one.at("equalized")},
                              statistics_from_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
    }
    return nothing_more();
  }

  int rank_;
  std::function<Config()> load_config_;
  OwnParts own_;
  std::optional<Config> config_;
  Model source_;
  StatisticsByPlan statistics_;
  std::optional<EditsOfLast> edits_;  // of source_ and statistics_
  std::optional<DataLoader> calibration_, evaluation_;
};

}  // namespace

void help(Team& team, std::function<Config()> config, OwnParts own) {
  const auto helper = std::make_shared<Helper>(team.rank(), std::move(config), std::move(own));
  serve(team, [helper](const std::string& order) { return (*helper)(order); });
}

std::unique_ptr<Crew> make_crew(Team* team) {
  return team && team->size() > 1 ? std::make_unique<Crew>(*team) : nullptr;
}

void compare_with_helpers(Crew& crew, const Model& model, const SharedData& data, const Observer& observer) {
  Json order{{"work", kCompareOrder},
             {"model", {{"source", model.source.string()}, {"fingerprint", model.fingerprint}}}};
  if (data.calibration) order["calibration"] = data.calibration->identity();
  if (data.evaluation) order["evaluation"] = data.evaluation->identity();
  crew.run({.order = to_order(order)}, observer);
}

void tell_statistics(Crew& crew, const StatisticsByPlan& statistics, const Observer& observer) {
  Json all = Json::array();
  for (const auto& [key, of_key] : statistics.all) {
    const std::string bytes = to_bytes(of_key);
    all.push_back({{"sampling_size", key.sampling_size},
                   {"equalized", key.equalized},
                   {"bytes", Json::binary({bytes.begin(), bytes.end()})}});
  }
  crew.run({.order = to_order({{"work", kStatisticsOrder}, {"all", std::move(all)}})}, observer);
}

std::string recipe_of(const Plan& carried_out) { return to_json(carried_out); }

}  // namespace lpot
