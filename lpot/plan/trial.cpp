#include "lpot/plan/trial.h"

#include <fmt/format.h>

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

}  // namespace

std::string to_json(const Measured& measured) {
  nlohmann::json metrics = nlohmann::json::array();
  for (const auto& [name, value] : measured.metrics) metrics.push_back({{"name", name}, {"value", value}});
  return nlohmann::json{{"accuracy", measured.accuracy},     {"metrics", metrics},
                        {"latency_ms", measured.latency_ms}, {"speedup", measured.speedup},
                        {"size_bytes", measured.size_bytes}, {"footprint_bytes", measured.footprint_bytes},
                        {"samples", measured.samples},       {"complete", measured.complete}}
      .dump();
}

Measured measured_from_json(const std::string& text) {
  try {
    const auto json = parse_json(text);
    Measured measured;
    measured.accuracy = number(json.at("accuracy"));
    for (const auto& metric : json.at("metrics"))
      measured.metrics.emplace_back(metric.at("name"), number(metric.at("value")));
    json.at("latency_ms").get_to(measured.latency_ms);
    json.at("speedup").get_to(measured.speedup);
    measured.size_bytes = static_cast<std::size_t>(json_integer(json.at("size_bytes")));
    measured.footprint_bytes = static_cast<std::size_t>(json_integer(json.at("footprint_bytes")));
    measured.samples = static_cast<std::size_t>(json_integer(json.at("samples")));
    measured.complete = json.value("complete", true);
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
  return json.dump();
}

Probe probe_from_json(const std::string& text) {
  try {
    const auto json = parse_json(text);
    const auto& distance = json.at("distance");
    return {plan_from_json(json.at("plan").get<std::string>()),
            distance.is_null() ? std::numeric_limits<double>::infinity() : distance.get<double>(),
            json.at("seconds").get<double>(), static_cast<std::size_t>(json_integer(json.at("before_trial")))};
  } catch (const nlohmann::json::exception& error) {
    throw StoreError("store", fmt::format("cannot read a stored probe: {}", error.what()));
  }
}

}  // namespace lpot
