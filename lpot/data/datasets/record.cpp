#include "lpot/data/datasets/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lpot/core/error.h"
#include "lpot/data/files.h"
#include "lpot/data/images/decode.h"

namespace lpot {

Tensor decode_feature(const Example& example, const std::string& name) {
  const Feature& encoded = example[name];
  if (encoded.texts.empty())
    throw DataError("parse",
                    fmt::format("the record has no feature {}, only {}", name, fmt::join(example.names(), ", ")));
  const std::string_view bytes = encoded.texts[0];
  return decode_image({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

RecordDataset::RecordDataset(const Component& component, const std::string& prefix)
    : name_(component.name),
      records_(component.name, find_record_files(component.name, component.parameters.text("root"), prefix)),
      identity_(fmt::format("{}({}) {}", component.name, component.parameters.describe(),
                            fingerprint_files(records_.files()))) {}

template <typename Use>
auto RecordDataset::with_example(std::size_t index, Use use) const {
  std::vector<std::uint8_t> bytes = records_.read(index);
  try {
    const Example example(std::move(bytes));
    return use(example);
  } catch (const DataError& error) {
    throw DataError(name_, fmt::format("sample {}: {}: {}", index, records_.describe(index), error.what()));
  }
}

Sample RecordDataset::at(std::size_t index) const {
  return with_example(index, [&](const Example& example) {
    return Sample{{decode_feature(example, "image/encoded")}, label_of(example)};
  });
}

Tensor RecordDataset::label(std::size_t index) const {
  return with_example(index, [&](const Example& example) { return label_of(example); });
}

}  // namespace lpot
