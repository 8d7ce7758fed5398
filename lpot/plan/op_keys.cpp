#include "lpot/plan/op_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "lpot/core/error.h"
#include "lpot/core/text.h"

namespace lpot {
namespace {

// Framework names of the op types in the capability table.
const std::map<std::string, std::set<std::string>>& types_by_name() {
  static const std::map<std::string, std::set<std::string>> kTypes{
      {"Conv", {"Convolution", "GroupConvolution"}},
      {"Conv2D", {"Convolution", "GroupConvolution"}},
      {"DepthwiseConv2dNative", {"GroupConvolution"}},
      {"ConvTranspose", {"ConvolutionBackpropData"}},
      {"Conv2DBackpropInput", {"ConvolutionBackpropData"}},
      {"Gemm", {"MatMul"}},
      {"BatchMatMul", {"MatMul"}},
      {"BatchMatMulV2", {"MatMul"}},
      {"FullyConnected", {"MatMul"}},
  };
  return kTypes;
}

bool is_of_type(const OpInfo& op, const std::string& name) {
  const auto known = types_by_name().find(name);
  return op.type == name || (known != types_by_name().end() && known->second.contains(op.type));
}

std::regex pattern_of(const std::string& key, const Place& place) {
  try {
    return std::regex(key);
  } catch (const std::regex_error& error) {
    throw ConfigError("op_wise", fmt::format("{}: '{}' is not an op name and not a valid regular expression: {}",
                                             to_string(place), key, error.what()));
  }
}

std::vector<std::size_t> select(const std::vector<OpInfo>& ops, const auto& wanted) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < ops.size(); ++i)
    if (wanted(ops[i])) found.push_back(i);
  return found;
}

// Ops with that name, or else ops whose names match the key as a regular expression.
std::vector<std::size_t> ops_named(const std::vector<OpInfo>& ops, const std::string& key, const Place& place) {
  auto found = select(ops, [&](const OpInfo& op) { return op.name == key; });
  if (!found.empty()) return found;
  const std::regex pattern = pattern_of(key, place);
  return select(ops, [&](const OpInfo& op) { return std::regex_match(op.name, pattern); });
}

bool has_name(const std::vector<OpInfo>& ops, const std::string& name) {
  return std::any_of(ops.begin(), ops.end(), [&](const OpInfo& op) { return op.name == name; });
}

bool may_be_unquantized(const OpRestriction& restriction) {
  const auto allows = [](const std::vector<Precision>& precisions) {
    return precisions.empty() || std::any_of(precisions.begin(), precisions.end(), [](Precision precision) {
             return precision != Precision::Int8 && precision != Precision::Uint8;
           });
  };
  return allows(restriction.activation.precisions) && allows(restriction.weight.precisions);
}

// Finds the ops without int8 kernels that a key matches. Empty if the key matches quantizable ops.
class UnquantizableOps {
 public:
  UnquantizableOps(const NamedOps& all, const std::vector<QuantizableOp>& quantizable) : read_file_(all.file) {
    for (const QuantizableOp& op : quantizable) quantizable_.push_back({op.name, op.type});
    for (const OpInfo& op : all.graph)
      if (!has_name(quantizable_, op.name)) unquantizable_.push_back(op);
  }

  std::vector<OpInfo> matching(const std::string& key, const Place& place) {
    if (has_name(quantizable_, key)) return {};
    if (has_name(unquantizable_, key)) return ops(unquantizable_, ops_named(unquantizable_, key, place));
    if (!ops_named(quantizable_, key, place).empty()) return {};
    if (const auto found = ops_named(unquantizable_, key, place); !found.empty()) return ops(unquantizable_, found);
    if (std::any_of(quantizable_.begin(), quantizable_.end(), [&](const auto& op) { return is_of_type(op, key); }))
      return {};
    if (!file_) file_ = read_file_ ? read_file_() : std::vector<OpInfo>{};
    return ops(*file_, ops_named(*file_, key, place));
  }

 private:
  static std::vector<OpInfo> ops(const std::vector<OpInfo>& all, const std::vector<std::size_t>& places) {
    std::vector<OpInfo> result;
    for (const std::size_t place : places) result.push_back(all[place]);
    return result;
  }

  std::function<std::vector<OpInfo>()> read_file_;
  std::vector<OpInfo> quantizable_, unquantizable_;
  std::optional<std::vector<OpInfo>> file_;
};

}  // namespace

WithWarnings<std::vector<std::size_t>> ops_for_key(const std::vector<OpInfo>& quantizable, const std::string& key,
                                                   const Place& place) {
  auto found = ops_named(quantizable, key, place);
  if (!found.empty()) return {std::move(found)};
  found = select(quantizable, [&](const OpInfo& op) { return is_of_type(op, key); });
  if (!found.empty()) {
    std::string warning =
        fmt::format("{}: quantization.op_wise: no op has the name '{}'; it is used as the op type of {} ops",
                    to_string(place), key, found.size());
    return {std::move(found), {std::move(warning)}};
  }
  std::vector<std::string> names;
  for (const OpInfo& op : quantizable) names.push_back(op.name);
  throw ConfigError(
      "op_wise", fmt::format("{}: quantization.op_wise: '{}' matches no op of this model{}. 'lpot inspect MODEL' lists "
                             "the ops that can run in int8.",
                             to_string(place), key, did_you_mean_one_of(key, names)));
}

WithWarnings<QuantizationConfig> without_unquantizable_keys(QuantizationConfig config,
                                                            const std::vector<QuantizableOp>& quantizable,
                                                            const NamedOps& all) {
  WithWarnings<QuantizationConfig> result{std::move(config)};
  if (result.value.op_wise.empty()) return result;
  UnquantizableOps unquantizable(all, quantizable);
  std::erase_if(result.value.op_wise, [&](const auto& entry) {
    const auto& [key, restriction] = entry;
    const std::vector<OpInfo> matched = unquantizable.matching(key, restriction.place);
    if (!matched.empty() && !may_be_unquantized(restriction))
      result.warnings.push_back(
          fmt::format("{}: quantization.op_wise: '{}' stays in fp32, because {} has no int8 kernel{}",
                      to_string(restriction.place), key, matched.front().type,
                      matched.size() == 1 ? "" : fmt::format(" ({} more ops match)", matched.size() - 1)));
    return !matched.empty();
  });
  return result;
}

}  // namespace lpot
