// BERT's tokenizer: text -> words -> pieces of the vocabulary.
//
//   WordPiece tokenizer(vocabulary, {.lower_case = true});
//   for (const Token& token : tokenizer.tokenize("Unaffable!")) use(token.id);  // una ##ffa ##ble !
//
// Words end at white space and around punctuation and Chinese characters; control characters vanish; lower-casing takes
// accents away too. A word is cut greedily: the longest piece that begins it, then the longest that goes on, and so on;
// one that cannot be cut to its end, or has more than 100 letters, is [UNK] as a whole.
//
// Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding, 2018; Wu et al.,
// Google's Neural Machine Translation System, 2016. Every token knows the bytes of the text it came from.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lpot/data/text/vocabulary.h"

namespace lpot {

struct Token {
  std::int64_t id = 0;
  std::uint32_t begin = 0;  // bytes of the text, the end not included
  std::uint32_t end = 0;

  bool operator==(const Token&) const = default;
};

struct WordPieceOptions {
  bool lower_case = true;
};

// Free of hidden state: may be used by several threads.
class WordPiece {
 public:
  explicit WordPiece(std::shared_ptr<const Vocabulary> vocabulary, WordPieceOptions options = {})
      : vocabulary_(std::move(vocabulary)), options_(options) {}

  std::vector<Token> tokenize(std::string_view text) const;
  const Vocabulary& vocabulary() const { return *vocabulary_; }

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
  WordPieceOptions options_;
};

}  // namespace lpot
