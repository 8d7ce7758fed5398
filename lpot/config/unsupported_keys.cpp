#include "lpot/config/unsupported_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lpot/config/values.h"

namespace lpot::yaml {
namespace {

constexpr std::string_view kUnusual = "";  // any value but the default, and but the row's harmless one

enum class Outcome { Warn, Refuse };

struct Pending {
  std::string_view key;
  std::string_view value;
  Outcome outcome;
  std::string_view sentence;
  std::string_view harmless = "";
};

constexpr auto Warn = Outcome::Warn;
constexpr auto Refuse = Outcome::Refuse;
constexpr std::string_view kNoSetting = "OpenVINO has no such setting, ignored";

// Delete a row when its feature arrives.
constexpr auto kPending = std::to_array<Pending>({
    {"model.framework", "mxnet", Refuse, "nothing here reads MXNet's models, convert the model to ONNX"},
    {"model.framework", "engine", Refuse, "nothing here reads Engine's models, give the ONNX model it was made from"},
    {"model.framework", "pytorch_ipex", Refuse, "IPEX is not part of this tool, use pytorch"},
    {"model.framework", "tensorflow_itex", Refuse, "ITEX is not part of this tool, use tensorflow"},
    {"device", "gpu", Refuse, "not carried out yet, only cpu is"},
    {"quantization.approach", "quant_aware_training", Refuse,
     "not carried out, this tool does not train; use post_training_static_quant"},
    {"**.weight.dtype", "bf16", Refuse, "not carried out yet, use fp32 or int8"},
    {"**.activation.dtype", "bf16", Refuse, "not carried out yet, use fp32 or int8"},
    {"evaluation.*.configs.inter_num_of_threads", kUnusual, Warn, kNoSetting},
    {"evaluation.*.configs.kmp_blocktime", kUnusual, Warn, kNoSetting},
    {"evaluation.accuracy.configs.num_of_instance", kUnusual, Warn, "accuracy is measured by one instance, ignored",
     "1"},
});

// Walks through a document and gathers warnings.
class PendingCheck {
 public:
  explicit PendingCheck(const KeyTable& keys) : keys_(keys.listed()) {}

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
    return known != keys_.end() && !known->default_value.empty() && says(node, known->default_value);
  }

  bool applies(const Pending& pending, const Node& node) const {
    if (!matches(path_, pending.key)) return false;
    if (pending.value == kUnusual)
      return !is_default(node) && (pending.harmless.empty() || !says(node, std::string(pending.harmless)));
    const std::vector<Node> values = pieces(node);
    return std::any_of(values.begin(), values.end(),
                       [&](const Node& value) { return says(value, std::string(pending.value)); });
  }

  void check(const Node& node, const std::string& written) {
    for (const Pending& pending : kPending) {
      if (!applies(pending, node)) continue;
      if (pending.outcome == Refuse)
        fail(node.place, written, fmt::format("'{}': {}", pending.value, pending.sentence));
      warnings_.push_back(fmt::format("{}: {}: {}", to_string(node.place), written, pending.sentence));
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

std::vector<std::string> check_pending(const Node& document, const KeyTable& keys) {
  return PendingCheck(keys).run(document);
}

}  // namespace lpot::yaml

namespace lpot {

std::vector<PendingKey> pending_keys(const RecipeDeclarations& recipes) {
  std::vector<PendingKey> keys;
  for (const KeyInfo& key : config_keys(recipes))
    for (const yaml::Pending& pending : yaml::kPending)
      if (yaml::matches(yaml::split(key.path, '.'), pending.key))
        keys.push_back({key.path, std::string(pending.value), pending.outcome == yaml::Outcome::Refuse,
                        std::string(pending.sentence)});
  return keys;
}

}  // namespace lpot
