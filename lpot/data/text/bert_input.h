// Builds the inputs of BERT models: token ids, the attention mask and the segment of each token.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lpot/data/dataset.h"
#include "lpot/data/text/wordpiece.h"

namespace lpot {

// The usual names of the three inputs. Models with other names get the tensors in this order.
std::vector<std::string> bert_input_names();

struct BertInput {
  std::vector<std::int64_t> ids;
  std::size_t first_segment = 0;  // number of tokens of the first text with its special tokens; the rest is the second

  std::size_t size() const { return ids.size(); }
};

// [CLS] first [SEP], followed by second [SEP] if there is a second text.
BertInput join(const Vocabulary&, std::span<const Token> first, std::span<const Token> second, bool is_pair);

// Removes tokens from the end of the longer text until both have `room` tokens together. If both are too long, the
// longer text keeps the odd token (the second text if both are equal).
void truncate_longest_first(std::vector<Token>& first, std::vector<Token>& second, std::size_t room);

// How the texts of a batch are padded to one length.
struct Padding {
  std::size_t max_length = 0;
  bool dynamic = false;         // pad to the longest text of the batch, else to max_length
  std::int64_t padding_id = 0;  // for the ids; all other inputs are padded with zeros

  // A quarter, a half, three quarters and all of max_length, for Dataset::lengths. Compiling a model for one more
  // length takes as long as running it with some hundred texts.
  std::vector<std::size_t> lengths() const;
};

// Ids, mask and segments without padding.
std::vector<Tensor> to_tensors(const BertInput&);

// Pads all inputs with one dimension; the first of them contains the ids. For Dataset::pad_batch.
void pad_inputs(std::vector<Sample>&, const Padding&);

// Throws ConfigError unless models of this type use BERT's vocabulary.
void check_model_type(const Component&);
std::vector<std::string> model_types();

}  // namespace lpot
