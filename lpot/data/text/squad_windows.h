// Builds model inputs from SQuAD: a question and a window of its paragraph, [CLS] question [SEP] window [SEP].
//
// A long paragraph is split into overlapping windows; each starts doc_stride tokens after the previous one. A word in
// several windows can only start an answer in the window where it has the most context. The context is the minimum of
// the number of tokens to its left and right, plus a small term for the length of the window (as in BERT's
// run_squad.py).
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
  std::uint32_t question = 0;  // index in the file
  std::uint32_t first = 0;     // index of its first token in the paragraph
  std::uint32_t count = 0;     // number of tokens of the paragraph
  std::uint32_t before = 0;    // number of tokens in front of them: [CLS] question [SEP]

  std::size_t length() const { return before + count + 1; }
};

class SquadWindows {
 public:
  // Throws ConfigError if max_seq_length is too small.
  SquadWindows(Squad, const WordPiece&, const WindowOptions&);

  // The windows of all questions in order. Window i has the unique id kFirstId + i, as in run_squad.py.
  static constexpr std::int64_t kFirstId = 1000000000;
  std::size_t size() const { return windows_.size(); }
  const Window& window(std::size_t number) const { return windows_.at(number); }

  const Squad& squad() const { return squad_; }
  const SquadQuestion& question(const Window& window) const { return squad_.questions[window.question]; }
  const std::vector<Token>& question_tokens(const Window& window) const { return questions_[window.question]; }
  const std::vector<Token>& context_tokens(const Window& window) const { return contexts_[question(window).paragraph]; }

  // Whether this token of the window (counted from 0) has more context here than in all other windows.
  bool has_most_context(std::size_t number, std::size_t token) const;

  // The original text of the paragraph from one token of the window to another, both included.
  std::string text(const Window&, std::size_t first, std::size_t last) const;

 private:
  void add_windows(std::size_t question, std::size_t room, std::size_t stride);

  Squad squad_;
  std::vector<std::vector<Token>> contexts_;   // by paragraph
  std::vector<std::vector<Token>> questions_;  // truncated to max_query_length
  std::vector<Window> windows_;
};

}  // namespace lpot
