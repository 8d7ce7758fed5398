#include "lpot/tune/auto_config/found_data.h"

#include <fmt/format.h>

namespace lpot {

std::string unfit_labels(const FolderContent& content, const LabelHypotheses& labels, std::size_t classes,
                         std::string_view tried) {
  constexpr std::string_view kConsequence = "They are not used, and int8 is compared with fp32 instead";
  if (!labels.offsets.empty())
    return fmt::format("the labels do not fit the model ({} classes): with {}, its accuracy is that of chance. {}",
                       classes, tried, kConsequence);
  const std::string found = content.classes.empty() ? fmt::format("they are numbers from {} to {}",
                                                                  content.labels->first, content.labels->last)
                                                    : fmt::format("the data have {} classes", content.classes.size());
  return fmt::format("the labels do not fit the model: {}, but the model has {} classes. {}", found, classes,
                     kConsequence);
}

}  // namespace lpot
