#include "cli/terminal.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

#include "lpot/report/table.h"

namespace lpot::cli {
namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t stop_requested = 0;

extern "C" void request_stop(int signal) {
  stop_requested = 1;
  std::signal(signal, SIG_DFL);  // the next signal ends the program
}

// Present and not empty, as https://no-color.org defines it.
bool is_variable_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

constexpr int kBarWidth = 24;
constexpr auto kRedraw = std::chrono::milliseconds(100);

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warning:
      return spdlog::level::warn;
  }
  return spdlog::level::info;
}

spdlog::logger make_logger(const Common& common) {
  spdlog::logger logger("lpot", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger.set_pattern("lpot: %l: %v");
  logger.set_level(common.quiet ? spdlog::level::err : common.verbose ? spdlog::level::debug : spdlog::level::info);
  return logger;
}

}  // namespace

void print_table(const Row& header, const std::vector<Row>& rows) {
  const std::string table = format_table(header, rows);
  const bool is_shortened = table != format_table(header, rows, std::string::npos);
  fmt::print("{}{}", table,
             is_shortened ? "(... stands for the middle of a long name; --json prints it in full)\n" : "");
}

Terminal::Terminal(const Common& common)
    : common_(common),
      is_terminal_(::isatty(STDERR_FILENO) == 1 && !common.quiet),
      has_colours_(is_terminal_ && !is_variable_set("NO_COLOR")) {}

Observer Terminal::observer() {
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  Observer observer;
  const auto logger = std::make_shared<spdlog::logger>(make_logger(common_));
  observer.on_log = [this, logger](LogLevel level, std::string_view message) {
    clear_bar();
    logger->log(level_of(level), message);
  };
  if (is_terminal_) observer.on_progress = [this](const Progress& step) { progress(step); };
  observer.should_stop = [] { return stop_requested != 0; };
  return observer;
}

void Terminal::line(const std::string& text, Tone tone) {
  if (common_.quiet) return;
  clear_bar();
  if (has_colours_ && tone != Tone::Plain)
    fmt::print(stderr, "\033[{}m{}\033[0m\n", tone == Tone::Good ? 32 : 31, text);
  else
    fmt::print(stderr, "{}\n", text);
}

void Terminal::progress(const Progress& step) {
  const auto now = Clock::now();
  // A stage of the same name that starts again has done less than the one before.
  const bool is_new = stage_ != step.stage || step.done < last_done_ || step.done == 0;
  last_done_ = step.done;
  if (is_new) {
    stage_ = step.stage;
    stage_start_ = now;
    first_done_ = step.done;
  } else if (step.done < step.total && now - last_drawn_ < kRedraw) {
    return;
  }
  last_drawn_ = now;
  if (step.done >= step.total) {
    clear_bar();
    stage_.clear();
    return;
  }
  const double share = static_cast<double>(step.done) / static_cast<double>(step.total);
  const double passed = std::chrono::duration<double>(now - stage_start_).count();
  const int filled = static_cast<int>(share * kBarWidth);
  const auto seen = static_cast<double>(step.done - first_done_);  // the time of earlier steps is not known
  const double left_seconds = passed / seen * static_cast<double>(step.total - step.done);
  const std::string left = seen > 0.02 * static_cast<double>(step.total) ? format_seconds(left_seconds) + " left" : "";
  fmt::print(stderr, "\r\033[K{} [{}{}] {}/{} {}", step.stage, std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(kBarWidth - filled), ' '), step.done, step.total, left);
  std::fflush(stderr);
  bar_shown_ = true;
}

void Terminal::clear_bar() {
  if (bar_shown_) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  bar_shown_ = false;
}

}  // namespace lpot::cli
