#include "lpot/plan/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lpot/core/error.h"
#include "lpot/core/json.h"

namespace lpot {
namespace {

// JSON cannot represent NaN, so it is stored as null.
double number(const nlohmann::json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

// Fields that older versions did not store.
bool was_added_later(std::string_view name) {
  constexpr std::string_view kLater[] = {"complete", "speedup_low", "speedup_high", "speedup_vs_default", "cores"};
  return std::find(std::begin(kLater), std::end(kLater), name) != std::end(kLater);
}

template <typename Field>
void read_field(const nlohmann::json& json, const char* name, Field& field) {
  if (!json.contains(name) && was_added_later(name)) return;
  if constexpr (std::is_same_v<Field, bool>) {
    field = json.at(name).get<bool>();
  } else if constexpr (std::is_floating_point_v<Field>) {
    field = number(json.at(name));
  } else {
    field = static_cast<Field>(json_integer(json.at(name)));
  }
}

}  // namespace

double lowest_speedup(const Measurement& measured) {
  return measured.speedup_low > 0 ? measured.speedup_low : measured.speedup;
}
double highest_speedup(const Measurement& measured) {
  return measured.speedup_high > 0 ? measured.speedup_high : measured.speedup;
}

std::string to_json(const Measurement& measured) {
  nlohmann::json json;
  visit_fields(measured, [&](const char* name, const auto& field) { json[name] = field; });
  json["metrics"] = nlohmann::json::array();
  for (const auto& [name, value] : measured.metrics) json["metrics"].push_back({{"name", name}, {"value", value}});
  return json.dump();
}

Measurement measurement_from_json(const std::string& text) {
  try {
    const auto json = parse_json(text);
    Measurement measured;
    visit_fields(measured, [&](const char* name, auto& field) { read_field(json, name, field); });
    for (const auto& metric : json.at("metrics"))
      measured.metrics.emplace_back(metric.at("name"), number(metric.at("value")));
    return measured;
  } catch (const nlohmann::json::exception& error) {
    throw StoreError("store", fmt::format("cannot read a stored trial result: {}", error.what()));
  }
}

std::string to_json(const Probe& probe) {
  nlohmann::json json{{"plan", to_json(probe.plan)},
                      {"distance", nullptr},
                      {"seconds", probe.seconds},
                      {"before_trial", probe.before_trial}};
  if (std::isfinite(probe.distance)) json["distance"] = probe.distance;
  if (probe.level > 0) {
    json["level"] = probe.level;
    json["samples"] = probe.samples;
    if (probe.loss) json["loss"] = {*probe.loss, probe.loss_error};
    if (probe.loss_spread) json["loss_spread"] = *probe.loss_spread;
    if (probe.used_samples > 0) json["used_samples"] = probe.used_samples;
  }
  return json.dump();
}

Probe probe_from_json(const std::string& text) {
  try {
    const auto json = parse_json(text);
    const auto& distance = json.at("distance");
    Probe probe{plan_from_json(json.at("plan").get<std::string>()),
                distance.is_null() ? std::numeric_limits<double>::infinity() : distance.get<double>(),
                json.at("seconds").get<double>(), static_cast<std::size_t>(json_integer(json.at("before_trial")))};
    if (!json.contains("level")) return probe;
    probe.level = static_cast<int>(json_integer(json.at("level")));
    probe.samples = static_cast<std::size_t>(json_integer(json.at("samples")));
    probe.used_samples = static_cast<std::size_t>(json_integer(json, "used_samples", 0));
    if (!json.contains("loss")) return probe;
    probe.loss = json.at("loss").at(0).get<double>();
    probe.loss_error = json.at("loss").at(1).get<double>();
    if (json.contains("loss_spread")) probe.loss_spread = json.at("loss_spread").get<double>();
    return probe;
  } catch (const nlohmann::json::exception& error) {
    throw StoreError("store", fmt::format("cannot read a stored probe: {}", error.what()));
  }
}

}  // namespace lpot
