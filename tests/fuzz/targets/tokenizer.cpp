#include <cstdlib>

#include "lpot/data/text/wordpiece.h"
#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void tokenizer(Bytes bytes) {
  static const auto kWords = std::make_shared<const Vocabulary>("GLUE", kVocabulary);
  const std::string_view text = text_of(bytes);
  for (const bool lower_case : {true, false}) {
    std::size_t before = 0;
    for (const Token& token : WordPiece(kWords, {lower_case}).tokenize(text)) {
      // Tokens are in order, inside the text, and part of the vocabulary.
      if (token.begin > token.end || token.end > text.size() || token.begin < before) std::abort();
      kWords->piece(token.id);
      before = token.begin;
    }
  }
}

}  // namespace lpot::fuzz
