// One file per command (verb). Each adds its subcommand and the function that runs it.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "lpot/distributed/transport.h"

namespace lpot::cli {

// Options that every verb has.
struct Common {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

struct Context {
  Common common;
  std::vector<std::string> arguments;     // as given, without the program's name
  std::string command_line;               // as typed, for deploy.yaml
  std::function<int()> run;               // set by the chosen verb; returns the exit code
  lpot::Transport* transport = nullptr;   // the processes that were started together
  std::function<void()> run_worker = {};  // set by verbs that support mpirun; runs on all ranks but 0
};

enum ExitCode { kSuccess = 0, kError = 1, kUsage = 2, kGoalNotMet = 3 };

void add_tune(CLI::App&, Context&);
void add_quantize(CLI::App&, Context&);
void add_evaluate(CLI::App&, Context&);
void add_bench(CLI::App&, Context&);
void add_inspect(CLI::App&, Context&);
void add_show(CLI::App&, Context&);
void add_report(CLI::App&, Context&);
void add_diagnose(CLI::App&, Context&);
void add_serve(CLI::App&, Context&);
void add_init(CLI::App&, Context&);
void add_doctor(CLI::App&, Context&);
void add_reference(CLI::App&, Context&);
void add_completion(CLI::App&, Context&);

// Adds a subcommand with the common options and examples.
CLI::App* add_verb(CLI::App&, Context&, const std::string& name, const std::string& description,
                   const std::string& examples);

}  // namespace lpot::cli
