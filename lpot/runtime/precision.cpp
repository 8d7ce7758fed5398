#include "lpot/runtime/precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <openvino/openvino.hpp>

#include "lpot/core/error.h"

namespace lpot {
namespace {

// Defaults that change results. They are named in deploy.yaml, so that another version of OpenVINO with other defaults
// computes the same.
constexpr const char* kOtherSettings[] = {"DYNAMIC_QUANTIZATION_GROUP_SIZE", "KV_CACHE_PRECISION"};

InferencePrecision from_ov(ov::element::Type type) {
  if (type == ov::element::bf16) return InferencePrecision::Bf16;
  return type == ov::element::f16 ? InferencePrecision::F16 : InferencePrecision::F32;
}

// The core is slow to create, and its answers do not change.
struct CpuDevice {
  std::vector<InferencePrecision> supported;
  InferencePrecision usual = InferencePrecision::F32;
  std::map<std::string, std::string> other_settings;
};

const CpuDevice& cpu_device() {
  static const CpuDevice kDevice = [] {
    ov::Core core;
    CpuDevice device;
    device.supported = precisions_of(core.get_property("CPU", ov::device::capabilities));
    device.usual = from_ov(core.get_property("CPU", ov::hint::inference_precision));
    for (const char* name : kOtherSettings) try {
        device.other_settings[name] = core.get_property("CPU", name).as<std::string>();
      } catch (const ov::Exception&) {  // this version has no such setting
      }
    return device;
  }();
  return kDevice;
}

}  // namespace

std::vector<InferencePrecision> precisions_of(const std::vector<std::string>& capabilities) {
  const auto has = [&](std::string_view name) {
    return std::find(capabilities.begin(), capabilities.end(), name) != capabilities.end();
  };
  std::vector<InferencePrecision> precisions{InferencePrecision::F32};
  if (has("BF16")) precisions.push_back(InferencePrecision::Bf16);
  if (has("FP16")) precisions.push_back(InferencePrecision::F16);
  return precisions;
}

std::vector<InferencePrecision> supported_precisions() { return cpu_device().supported; }

InferencePrecision default_precision() { return cpu_device().usual; }

InferencePrecision usable_precision(InferencePrecision wanted) {
  const std::vector<InferencePrecision>& supported = cpu_device().supported;
  const bool is_supported = std::find(supported.begin(), supported.end(), wanted) != supported.end();
  return is_supported ? wanted : InferencePrecision::F32;
}

void check_precision(InferencePrecision precision, std::string_view where) {
  const std::vector<InferencePrecision>& supported = cpu_device().supported;
  if (usable_precision(precision) == precision) return;
  std::string names;
  for (const InferencePrecision one : supported) names += (names.empty() ? "" : ", ") + std::string(to_string(one));
  throw ConfigError("precision", fmt::format("{}: this CPU does not compute in {}; it supports {}", where,
                                             to_string(precision), names));
}

InferencePrecision parse_precision(std::string_view name, std::string_view where) {
  if (name == "auto") return default_precision();
  const auto precision = parse<InferencePrecision>(name);
  if (!precision)
    throw ConfigError("precision", fmt::format("{}: got '{}'; expected auto, f32, bf16 or f16", where, name));
  check_precision(*precision, where);
  return *precision;
}

std::map<std::string, std::string> result_settings(InferencePrecision precision) {
  std::map<std::string, std::string> settings = cpu_device().other_settings;
  settings[ov::hint::inference_precision.name()] = to_string(precision);
  return settings;
}

}  // namespace lpot
