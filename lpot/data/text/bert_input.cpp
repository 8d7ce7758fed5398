#include "lpot/data/text/bert_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lpot/core/registry.h"

namespace lpot {
namespace {

constexpr std::size_t kLengths = 4;

void append(std::vector<std::int64_t>& ids, std::span<const Token> tokens) {
  for (const Token& token : tokens) ids.push_back(token.id);
}

Tensor filled_up(const Tensor& row, std::size_t length, std::int64_t filling) {
  Tensor result(row.element_type(), {length});
  std::memcpy(result.bytes(), row.bytes(), row.byte_size());
  if (filling != 0 && row.element_type() == ElementType::I64)
    std::fill(result.data<std::int64_t>() + row.size(), result.data<std::int64_t>() + length, filling);
  return result;
}

}  // namespace

std::vector<std::string> bert_input_names() { return {"input_ids", "attention_mask", "token_type_ids"}; }

BertInput join(const Vocabulary& vocabulary, std::span<const Token> first, std::span<const Token> second,
               bool is_pair) {
  BertInput input;
  input.ids.reserve(first.size() + second.size() + 3);
  input.ids.push_back(vocabulary.start());
  append(input.ids, first);
  input.ids.push_back(vocabulary.separator());
  input.first_segment = input.ids.size();
  if (!is_pair) return input;
  append(input.ids, second);
  input.ids.push_back(vocabulary.separator());
  return input;
}

void truncate_longest_first(std::vector<Token>& first, std::vector<Token>& second, std::size_t room) {
  if (first.size() + second.size() <= room) return;
  auto& shorter = first.size() <= second.size() ? first : second;
  auto& longer = first.size() <= second.size() ? second : first;
  if (shorter.size() > room / 2) shorter.resize(room / 2);
  longer.resize(room - shorter.size());
}

std::vector<std::size_t> Padding::lengths() const {
  std::vector<std::size_t> lengths;
  const std::size_t step = (max_length + kLengths - 1) / kLengths;
  for (std::size_t length = dynamic ? step : max_length; length < max_length; length += step) lengths.push_back(length);
  lengths.push_back(max_length);
  return lengths;
}

std::vector<Tensor> to_tensors(const BertInput& input) {
  const std::size_t length = input.size();
  Tensor mask(ElementType::I64, {length}), segments(ElementType::I64, {length});
  std::fill_n(mask.data<std::int64_t>(), length, 1);
  std::fill(segments.data<std::int64_t>() + std::min(input.first_segment, length),
            segments.data<std::int64_t>() + length, 1);
  return {Tensor::from<std::int64_t>({length}, input.ids), mask, segments};
}

void pad_inputs(std::vector<Sample>& samples, const Padding& padding) {
  std::size_t longest = 1;
  for (const Sample& sample : samples)
    for (const Tensor& input : sample.inputs)
      if (input.shape().size() == 1) longest = std::max(longest, input.shape()[0]);
  const std::size_t length = padding.dynamic ? std::min(longest, padding.max_length) : padding.max_length;
  for (Sample& sample : samples)
    for (std::size_t i = 0; i < sample.inputs.size(); ++i)
      if (sample.inputs[i].shape().size() == 1)
        sample.inputs[i] = filled_up(sample.inputs[i], length, i == 0 ? padding.padding_id : 0);
}

std::vector<std::string> model_types() { return {"bert", "distilbert", "roberta", "xlm", "xlnet"}; }

void check_model_type(const Component& component) {
  const std::string& type = component.parameters.text("model_type");
  if (type == "bert" || type == "distilbert") return;
  throw config_error(component,
                     fmt::format("model_type {}: this tokenizer is not supported; expected bert or distilbert. "
                                 "Otherwise, tokenize in Python, save the arrays with numpy.save and use the data set "
                                 "npy",
                                 type));
}

}  // namespace lpot
