// Warnings about calibration data that make a model look better than it is, or ranges too narrow.
//
//   if (const auto warning = few_classes_warning(loader, 300)) observer.log(LogLevel::Warning, *warning);
//
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "lpot/data/loader.h"

namespace lpot {

// A warning where calibration and evaluation read the same data set.
std::optional<std::string> same_data_warning(const DataLoader& calibration, const DataLoader& evaluation);

// A warning where the first `samples` of the calibration data have less than half of the classes that samples spread
// evenly over the data set have, as in a list sorted by class. Nothing where labels are not single integers.
std::optional<std::string> few_classes_warning(const DataLoader& calibration, std::size_t samples);

}  // namespace lpot
