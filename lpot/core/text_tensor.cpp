#include "lpot/core/text_tensor.h"

#include <algorithm>
#include <cstring>

#include "lpot/core/error.h"

namespace lpot {

Tensor to_text_tensor(const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  Tensor tensor(ElementType::U8, {texts.size(), longest});
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::memcpy(tensor.bytes() + i * longest, texts[i].data(), texts[i].size());
  return tensor;
}

bool holds_texts(const Tensor& tensor) {
  return !tensor.empty() && tensor.element_type() == ElementType::U8 && tensor.shape().size() == 2;
}

std::vector<std::string> to_texts(const Tensor& tensor) {
  if (!holds_texts(tensor)) throw DataError("texts", "expected u8 [texts,longest], got " + tensor.describe());
  const std::size_t longest = tensor.shape()[1];
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < tensor.shape()[0]; ++i) {
    const auto* row = reinterpret_cast<const char*>(tensor.bytes() + i * longest);
    texts.emplace_back(row, ::strnlen(row, longest));
  }
  return texts;
}

}  // namespace lpot
