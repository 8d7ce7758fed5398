#include "lpot/tune/data_warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>

#include "lpot/core/error.h"

namespace lpot {
namespace {

constexpr std::size_t kReadLabels = 64;  // a label may cost as much as its sample

// The classes of `count` samples; nothing where a label is not one integer.
std::optional<std::size_t> count_classes(const Dataset& data, std::size_t count,
                                         const std::function<std::size_t(std::size_t)>& index) {
  std::set<std::int64_t> classes;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor label = data.label(index(i));
    if (label.empty() || label.size() != 1 || !is_integer_type(label.element_type())) return std::nullopt;
    classes.insert(static_cast<std::int64_t>(label.value_at(0)));
  }
  return classes.size();
}

}  // namespace

std::optional<std::string> same_data_warning(const DataLoader& calibration, const DataLoader& evaluation) {
  if (calibration.dataset().identity() != evaluation.dataset().identity()) return std::nullopt;
  return "calibration and evaluation use the same data set, so the measured accuracy may be too high; set "
         "quantization.calibration.dataloader to other samples, for example those of the training set";
}

std::optional<std::string> skipped_warning(const DataLoader& loader, std::string_view purpose) {
  constexpr std::size_t kShown = 3;
  const std::vector<std::string> skipped = loader.dataset().skipped();
  if (skipped.empty()) return std::nullopt;
  const std::size_t shown = std::min(kShown, skipped.size());
  const std::size_t total = skipped.size() + loader.dataset().size();
  return fmt::format("{} data: skipped {} of {} samples that cannot be read: {}{}", purpose, skipped.size(), total,
                     fmt::join(skipped.begin(), skipped.begin() + static_cast<std::ptrdiff_t>(shown), "; "),
                     shown < skipped.size() ? "; ..." : "");
}

std::optional<std::string> few_classes_warning(const DataLoader& calibration, std::size_t samples) {
  const Dataset& data = calibration.dataset();
  const std::size_t used = std::min(samples, calibration.size());
  const std::size_t count = std::min(used, kReadLabels);
  if (count < 2 || used >= data.size() || calibration.options().shuffle) return std::nullopt;
  const auto spread = [&](std::size_t size) { return [=](std::size_t i) { return i * (size - 1) / (count - 1); }; };
  try {
    const auto covered = count_classes(data, count, [&](std::size_t i) { return calibration.index(spread(used)(i)); });
    if (!covered) return std::nullopt;
    const auto expected = count_classes(data, count, spread(data.size()));
    if (!expected || 2 * *covered >= *expected) return std::nullopt;
    return fmt::format(
        "the {} calibration samples cover few classes: {} in {} of them, but {} in {} samples spread over the data "
        "set; set quantization.calibration.dataloader.shuffle: true",
        used, *covered, count, *expected, count);
  } catch (const Error&) {  // calibration reports data that cannot be read
    return std::nullopt;
  }
}

}  // namespace lpot
