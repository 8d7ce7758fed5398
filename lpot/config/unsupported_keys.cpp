#include "lpot/config/unsupported_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lpot/config/values.h"

namespace lpot::yaml {
namespace {

constexpr std::string_view kNotDefault;  // any value except the default and the rule's `harmless` value

enum class Outcome { Warn, Refuse };

struct UnsupportedRule {
  std::string_view key;
  std::string_view value;
  Outcome outcome;
  std::string_view reason;
  std::string_view harmless = {};
};

constexpr auto Warn = Outcome::Warn;
constexpr auto Refuse = Outcome::Refuse;
constexpr std::string_view kNoSetting = "OpenVINO has no such setting";

// Delete a row when its feature is implemented.
constexpr auto kUnsupportedRules = std::to_array<UnsupportedRule>({
    {"model.framework", "mxnet", Refuse, "lpot cannot read MXNet models; convert the model to ONNX"},
    {"model.framework", "engine", Refuse,
     "lpot cannot read Engine models; use the ONNX model that it was converted from"},
    {"model.framework", "pytorch_ipex", Refuse, "lpot does not include IPEX; use pytorch"},
    {"model.framework", "tensorflow_itex", Refuse, "lpot does not include ITEX; use tensorflow"},
    {"device", "gpu", Refuse, "lpot runs models only on the CPU; use cpu"},
    {"quantization.approach", "quant_aware_training", Refuse,
     "lpot does not train models; use post_training_static_quant"},
    {"evaluation.*.configs.inter_num_of_threads", kNotDefault, Warn, kNoSetting},
    {"evaluation.*.configs.kmp_blocktime", kNotDefault, Warn, kNoSetting},
    {"evaluation.accuracy.configs.num_of_instance", kNotDefault, Warn, "accuracy is measured with one instance", "1"},
});

// Visits all keys of a document and collects warnings.
class UnsupportedKeyCheck {
 public:
  explicit UnsupportedKeyCheck(const KeyTable& keys) : keys_(keys.listed()) {}

  std::vector<std::string> run(const Node& document) && {
    check(document, "");
    return std::move(warnings_);
  }

 private:
  bool is_default(const Node& node) const {
    if (node.is_null()) return true;
    if (!node.is_scalar()) return node.items.empty();
    const auto known =
        std::find_if(keys_.begin(), keys_.end(), [&](const KeyInfo& key) { return matches(path_, key.path); });
    return known != keys_.end() && !known->default_value.empty() && equals_word(node, known->default_value);
  }

  bool applies(const UnsupportedRule& rule, const Node& node) const {
    if (!matches(path_, rule.key)) return false;
    if (rule.value == kNotDefault)
      return !is_default(node) && (rule.harmless.empty() || !equals_word(node, std::string(rule.harmless)));
    const std::vector<Node> values = list_items(node);
    return std::any_of(values.begin(), values.end(),
                       [&](const Node& value) { return equals_word(value, std::string(rule.value)); });
  }

  void check(const Node& node, const std::string& written) {
    for (const UnsupportedRule& rule : kUnsupportedRules) {
      if (!applies(rule, node)) continue;
      if (rule.outcome == Refuse)
        fail(node.place, written, fmt::format("'{}' is not supported: {}", rule.value, rule.reason));
      warnings_.push_back(fmt::format("{}: {}: ignored because {}", to_string(node.place), written, rule.reason));
    }
    if (!node.is_map()) return;
    for (const Node& item : node.items) {
      path_.push_back(item.key);
      check(item, path_of(written, item));
      path_.pop_back();
    }
  }

  std::vector<KeyInfo> keys_;
  Path path_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::vector<std::string> check_unsupported_keys(const Node& document, const KeyTable& keys) {
  return UnsupportedKeyCheck(keys).run(document);
}

}  // namespace lpot::yaml

namespace lpot {

std::vector<UnsupportedKey> unsupported_keys(const RecipeDeclarations& recipes) {
  std::vector<UnsupportedKey> keys;
  for (const KeyInfo& key : config_keys(recipes))
    for (const yaml::UnsupportedRule& rule : yaml::kUnsupportedRules)
      if (yaml::matches(yaml::split(key.path, '.'), rule.key))
        keys.push_back(
            {key.path, std::string(rule.value), rule.outcome == yaml::Outcome::Refuse, std::string(rule.reason)});
  return keys;
}

}  // namespace lpot
