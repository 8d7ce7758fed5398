#include "lpot/model/tensor_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lpot/core/text.h"

namespace lpot {
namespace {

constexpr std::size_t kMaxSuggestions = 5;

}  // namespace

std::string short_tensor_name(std::string_view name) {
  if (name.ends_with(":0")) name.remove_suffix(2);
  return std::string(name);
}

std::string similar_tensors(std::string_view name, const std::vector<std::string>& known) {
  const std::string wanted = short_tensor_name(name);
  std::vector<std::string> names;
  for (const std::string& candidate : known) names.push_back(short_tensor_name(candidate));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (const std::string suggestion = did_you_mean(wanted, names); !suggestion.empty()) return suggestion;
  std::vector<std::string> related;
  for (const std::string& candidate : names)
    if (lower(candidate).find(lower(wanted)) != std::string::npos && related.size() < kMaxSuggestions)
      related.push_back(candidate);
  return related.empty() ? "" : fmt::format(" (similar names: {})", fmt::join(related, ", "));
}

}  // namespace lpot
