#include "lpot/plan/kernel_variants.h"

#include <algorithm>
#include <cstdlib>

#include "lpot/core/error.h"
#include "lpot/core/json.h"

namespace lpot {

std::string to_json(const KernelVariantChoice& choice) {
  Json json = Json::object();
  for (const auto& [name, times] : choice.times) {
    Json& op = json[name];
    op = {{"fp32_ms", times.fp32_ms}, {"plain_ms", times.plain_ms}};
    if (times.convolution_ms > 0) op["convolution_ms"] = times.convolution_ms;
    if (const auto variant = choice.variants.find(name); variant != choice.variants.end())
      op["form"] = to_string(variant->second);
    const auto& slower = choice.slower_in_int8;
    if (std::find(slower.begin(), slower.end(), name) != slower.end()) op["slower_in_int8"] = true;
  }
  return json.dump();
}

KernelVariantChoice kernel_variants_from_json(const std::string& text) {
  KernelVariantChoice choice;
  try {
    const Json json = parse_json(text);
    for (const auto& [name, op] : json.items()) {
      choice.times[name] = {op.at("fp32_ms"), op.at("plain_ms"), op.value("convolution_ms", 0.0)};
      if (op.contains("form")) {
        const auto variant = parse<KernelVariant>(op.at("form").get<std::string>());
        if (!variant)
          throw StoreError("kernel variants",
                           "the stored kernel variants are damaged; tune without --resume to measure them again");
        choice.variants[name] = *variant;
      }
      if (op.value("slower_in_int8", false)) choice.slower_in_int8.push_back(name);
    }
  } catch (const Json::exception&) {
    throw StoreError("kernel variants",
                     "the stored kernel variants are damaged; tune without --resume to measure them again");
  }
  return choice;
}

std::filesystem::path default_kernel_variant_cache() {
  const auto variable = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
  if (const std::string given = variable("LPOT_FORM_MEMORY"); !given.empty()) return given == "off" ? "" : given;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return std::filesystem::path(cache) / "lpot/forms.json";
  if (const std::string home = variable("HOME"); !home.empty())
    return std::filesystem::path(home) / ".cache/lpot/forms.json";
  return "";
}

}  // namespace lpot
