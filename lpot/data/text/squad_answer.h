// Finds the answer from the start and end logits of a window.
#pragma once
#include <span>
#include <string>

#include "lpot/data/text/squad_windows.h"

namespace lpot {

struct AnswerOptions {
  std::size_t n_best = 20;             // number of the most likely start and end tokens to consider
  std::size_t max_answer_length = 30;  // in tokens
};

struct SquadAnswer {
  std::string text;  // empty: none of the most likely tokens is in the paragraph
  double score = 0;  // sum of both logits, to compare the windows of a question; minus infinity without a text
};

// The logits include padding. Throws DataError if there are fewer logits than tokens in the window.
SquadAnswer best_answer(const SquadWindows&, std::size_t window, std::span<const float> start,
                        std::span<const float> end, const AnswerOptions& = {});

}  // namespace lpot
