// The tensors that BERT models take: ids of tokens, which of them are not padding, and to which of two texts they
// belong.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lpot/data/dataset.h"
#include "lpot/data/text/wordpiece.h"

namespace lpot {

// What models call the three; others take them in this order.
std::vector<std::string> bert_input_names();

struct BertInput {
  std::vector<std::int64_t> ids;
  std::size_t first_segment = 0;  // tokens of the first text and its marks; the rest are the second's

  std::size_t size() const { return ids.size(); }
};

// [CLS] first [SEP], and second [SEP] where there is a second text.
BertInput join(const Vocabulary&, std::span<const Token> first, std::span<const Token> second, bool is_pair);

// Takes tokens off the end of the longer text until both fit into `room`; where both are too long, the longer one keeps
// the odd token (the second of equals).
void truncate_longest_first(std::vector<Token>& first, std::vector<Token>& second, std::size_t room);

// How texts of a batch get one length.
struct Padding {
  std::size_t max_length = 0;
  bool dynamic = false;         // to the longest of the batch, else all to max_length
  std::int64_t padding_id = 0;  // of the ids; all else is filled up with zeros

  // A quarter, half, three quarters of max_length and all of it, for Dataset::lengths. Compiling a model for one more
  // takes as long as running it for some hundred texts.
  std::vector<std::size_t> lengths() const;
};

// Ids, mask and segments, not filled up.
std::vector<Tensor> to_tensors(const BertInput&);

// Fills up every input with one dimension; the first of them holds ids. For Dataset::even_out.
void fill_up(std::vector<Sample>&, const Padding&);

// Throws ConfigError unless the vocabulary of such models is BERT's.
void check_model_type(const Component&);
std::vector<std::string> model_types();

}  // namespace lpot
