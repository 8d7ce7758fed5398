// Prints messages and progress on standard error, and handles Ctrl-C.
#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "cli/verbs.h"
#include "lpot/core/observer.h"
#include "lpot/report/table.h"

namespace lpot::cli {

// Prints a table that fits the terminal to standard output. Where names had to be shortened, a note says that --json
// prints all of them.
void print_table(const Row& header, const std::vector<Row>& rows);

enum class Tone { Plain, Good, Bad };

class Terminal {
 public:
  explicit Terminal(const Common&);

  // Prints progress bars with the time left on a terminal only, and warnings unless --quiet. The first Ctrl-C stops the
  // running stage, the second one ends the program.
  Observer observer();

  // Prints a line above the bar, unless --quiet. Tones are colours on a terminal, unless NO_COLOR is set.
  void line(const std::string&, Tone = Tone::Plain);

 private:
  void progress(const Progress&);
  void clear_bar();

  Common common_;
  bool is_terminal_;
  bool has_colours_;
  bool bar_shown_ = false;
  std::string stage_;
  std::size_t first_done_ = 0, last_done_ = 0;  // of the stage
  std::chrono::steady_clock::time_point stage_start_;
  std::chrono::steady_clock::time_point last_drawn_;
};

}  // namespace lpot::cli
