#include "lpot/data/text/wordpiece.h"
#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void vocabulary(Bytes bytes) {
  expect_errors([&] {
    const auto vocabulary = std::make_shared<const Vocabulary>("GLUE", write("vocab.txt", bytes));
    // Tokenizes the text of the vocabulary with it.
    for (const bool lower_case : {true, false}) WordPiece(vocabulary, {lower_case}).tokenize(text_of(bytes));
  });
}

}  // namespace lpot::fuzz
