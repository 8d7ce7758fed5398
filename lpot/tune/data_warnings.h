// Warnings about calibration data that cause too optimistic scores or too narrow ranges.
//
//   if (const auto warning = few_classes_warning(loader, 300)) observer.log(LogLevel::Warning, *warning);
//
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lpot/data/loader.h"

namespace lpot {

// A warning if calibration and evaluation read the same data set.
std::optional<std::string> same_data_warning(const DataLoader& calibration, const DataLoader& evaluation);

// A warning if the first `samples` of the calibration data contain few classes, as in a list that is sorted by class:
// less than half of the classes that the same number of samples contains if they are spread evenly over the data set.
// No warning if labels are not single integers.
std::optional<std::string> few_classes_warning(const DataLoader& calibration, std::size_t samples);

// A warning with the number of samples that were left out because they cannot be read, and the first of their errors.
// `purpose` is "calibration" or "evaluation".
std::optional<std::string> skipped_warning(const DataLoader&, std::string_view purpose);

}  // namespace lpot
