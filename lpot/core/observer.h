// How the library reports messages and progress: it never prints, it calls an Observer.
//
//   Observer observer;
//   observer.on_log = [](LogLevel, std::string_view message) { std::cerr << message << "\n"; };
//   observer.should_stop = [] { return interrupted.load(); };
//   tune(config, {.model = "net.onnx"}, observer);
//
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "lpot/core/error.h"

namespace lpot {

enum class LogLevel { Debug, Info, Warning };

// One step of a long stage: "evaluate", 120 of 10,000 samples.
struct Progress {
  std::string_view stage;
  std::size_t done = 0;
  std::size_t total = 0;
};

// Every function may be empty. Functions are called only from the thread that runs the stage.
struct Observer {
  std::function<void(LogLevel, std::string_view)> on_log;
  std::function<void(const Progress&)> on_progress;
  std::function<bool()> should_stop;  // called between batches; true ends the stage with Interrupted

  void log(LogLevel level, std::string_view message) const {
    if (on_log) on_log(level, message);
  }
  void check_stop() const {
    if (should_stop && should_stop()) throw Interrupted();
  }
  void progress(std::string_view stage, std::size_t done, std::size_t total) const {
    if (on_progress) on_progress({stage, done, total});
  }
};

}  // namespace lpot
