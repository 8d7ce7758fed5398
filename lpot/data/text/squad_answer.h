// The answer that start and end logits of a window give.
#pragma once
#include <span>
#include <string>

#include "lpot/data/text/squad_windows.h"

namespace lpot {

struct AnswerOptions {
  std::size_t n_best = 20;             // places that are looked at for begin and end, the most likely ones
  std::size_t max_answer_length = 30;  // tokens
};

struct SquadAnswer {
  std::string text;  // empty: no place of the paragraph is likely enough
  double score = 0;  // sum of the two logits; minus infinity without a text. Windows of a question are compared by it
};

// Logits of the whole sequence, padding included. Throws DataError when they are fewer than the window's tokens.
SquadAnswer best_answer(const SquadWindows&, std::size_t window, std::span<const float> start,
                        std::span<const float> end, const AnswerOptions& = {});

}  // namespace lpot
