// BERT's tokenizer: text -> words -> pieces of the vocabulary.
//
//   WordPiece tokenizer(vocabulary, {.lower_case = true});
//   for (const Token& token : tokenizer.tokenize("Unaffable!")) use(token.id);  // una ##ffa ##ble !
//
// Words end at white space. Each punctuation mark and each Chinese character is a word. Control characters are removed,
// and lower-casing also removes accents. A word is split greedily into the longest matching pieces. A word that cannot
// be split completely, or that has more than 100 characters, becomes [UNK].
//
// Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding, 2018; Wu et al.,
// Google's Neural Machine Translation System, 2016. Every token has the position of its bytes in the text.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lpot/data/text/vocabulary.h"

namespace lpot {

struct Token {
  std::int64_t id = 0;
  std::uint32_t begin = 0;  // byte position in the text; the end is exclusive
  std::uint32_t end = 0;

  bool operator==(const Token&) const = default;
};

struct WordPieceOptions {
  bool lower_case = true;
};

// Has no mutable state, so several threads can use it.
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
