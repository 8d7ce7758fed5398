// What a model sees of SQuAD: a question and a window of its paragraph, [CLS] question [SEP] window [SEP].
//
// A paragraph that does not fit is seen through several windows, each doc_stride tokens further than the one before. A
// word then stands in more than one of them, and counts as an answer's begin only where it has most context around it:
// the smaller of the tokens to its left and right, and a little for the window's length (as BERT's run_squad.py does).
#pragma once
#include <cstdint>
#include <vector>

#include "lpot/data/text/squad.h"
#include "lpot/data/text/wordpiece.h"

namespace lpot {

struct WindowOptions {
  std::size_t max_seq_length = 384;
  std::size_t doc_stride = 128;
  std::size_t max_query_length = 64;
};

struct Window {
  std::uint32_t question = 0;  // of the file
  std::uint32_t first = 0;     // token of the paragraph that it begins with
  std::uint32_t count = 0;     // tokens of the paragraph
  std::uint32_t before = 0;    // tokens in front of them: [CLS] question [SEP]

  std::size_t length() const { return before + count + 1; }
};

class SquadWindows {
 public:
  // Throws ConfigError for lengths that leave no room.
  SquadWindows(Squad, const WordPiece&, const WindowOptions&);

  // Windows of all questions in order. Window i has the unique id kFirstId + i, as run_squad.py numbers them.
  static constexpr std::int64_t kFirstId = 1000000000;
  std::size_t size() const { return windows_.size(); }
  const Window& window(std::size_t number) const { return windows_.at(number); }

  const Squad& squad() const { return squad_; }
  const SquadQuestion& question(const Window& window) const { return squad_.questions[window.question]; }
  const std::vector<Token>& question_tokens(const Window& window) const { return questions_[window.question]; }
  const std::vector<Token>& context_tokens(const Window& window) const { return contexts_[question(window).paragraph]; }

  // Whether this token of the window (from 0 at its begin) has more context there than in any other window.
  bool has_most_context(std::size_t number, std::size_t token) const;

  // The words of the paragraph from one token of the window to another one, both included, as they stand there.
  std::string text(const Window&, std::size_t first, std::size_t last) const;

 private:
  void add_windows(std::size_t question, std::size_t room, std::size_t stride);

  Squad squad_;
  std::vector<std::vector<Token>> contexts_;   // by paragraph
  std::vector<std::vector<Token>> questions_;  // cut at max_query_length
  std::vector<Window> windows_;
};

}  // namespace lpot
