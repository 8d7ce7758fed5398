// lpot: the command line. Results go to standard output, progress and messages to standard error.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "cli/mpi_transport.h"
#include "cli/verbs.h"
#include "lpot/core/error.h"
#include "lpot/core/process.h"
#include "lpot/core/version.h"
#include "lpot/distributed/coordinator.h"
#include "lpot/model/openvino_error.h"

namespace {

using namespace lpot::cli;

// The command with quotes where a shell needs them.
std::string command_line(const std::vector<std::string>& arguments) {
  std::string line = "lpot";
  for (const std::string& word : arguments) {
    const bool is_plain = !word.empty() && word.find_first_of(" '\"$&|;<>(){}[]*?!\\") == std::string::npos;
    line += ' ' + (is_plain ? word : lpot::shell_quoted(word));
  }
  return line;
}

// Runs on all ranks but 0. Only rank 0 prints, writes files and handles Ctrl-C.
int run_as_worker(const Context& context) {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  if (context.run_worker) context.run_worker();
  return kSuccess;
}

// What a newcomer needs, for the program without arguments.
constexpr const char* kFirstCommands =
    "lpot finds the fastest int8 model that meets an accuracy goal.\n\n"
    "  lpot doctor                                 what this machine can do\n"
    "  lpot tune --model model.onnx --data DIR     tune a model with a folder of images, .npy, .tsv or .txt files\n"
    "  lpot bench model.onnx int8/model.xml        compare the speed of two models\n\n"
    "'lpot --help' lists all commands, 'lpot COMMAND --help' their options.\n";

int run(int count, char** words, lpot::Transport* transport) {
  const bool is_worker = transport && transport->rank() > 0;
  if (count == 1) {
    if (!is_worker) fmt::print("{}", kFirstCommands);
    return kSuccess;
  }
  CLI::App app("lpot finds the fastest int8 model that meets an accuracy goal.", "lpot");
  app.set_version_flag("--version", std::string("lpot ") + std::string(lpot::kVersion));
  app.require_subcommand(1);
  app.footer(
      "Start: lpot tune --model model.onnx --data DIR\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage, 3 the goal was not met (the best model is saved).");
  Context context;
  context.transport = transport;
  context.arguments.assign(words + 1, words + count);
  context.command_line = command_line(context.arguments);
  add_tune(app, context);
  add_quantize(app, context);
  add_evaluate(app, context);
  add_bench(app, context);
  add_inspect(app, context);
  add_show(app, context);
  add_report(app, context);
  add_diagnose(app, context);
  add_serve(app, context);
  add_init(app, context);
  add_doctor(app, context);
  add_reference(app, context);
  add_completion(app, context);
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    if (is_worker) return kSuccess;
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
  if (is_worker) return run_as_worker(context);
  if (transport && !context.run_worker)
    throw lpot::ConfigError("distributed", fmt::format("'lpot {}' runs in one process; start it without mpirun",
                                                       app.get_subcommands().front()->get_name()));
  const int code = context.run();
  if (std::fflush(stdout) != 0)
    throw lpot::StoreError("write", fmt::format("standard output: {}", std::strerror(errno)));
  return code;
}

}  // namespace

int main(int count, char** words) {
  std::unique_ptr<lpot::Transport> transport;
  int code = kError;
  try {
    transport = make_mpi_transport();
    code = run(count, words, transport.get());
  } catch (const lpot::Interrupted&) {
    fmt::print(stderr, "lpot: stopped before the first result\n");
  } catch (const lpot::DistributedError& error) {
    fmt::print(stderr, "lpot: {}\n", error.what());
    exit_without_waiting(kError);
  } catch (const std::exception& error) {
    if (dynamic_cast<const lpot::Error*>(&error) == nullptr && lpot::is_out_of_memory(error))
      std::fputs(  // fmt would allocate
          "lpot: [memory] there is not enough memory; free memory or use smaller batches, then continue a study with "
          "--resume\n",
          stderr);
    else
      fmt::print(stderr, "lpot: {}\n", error.what());
  }
  if (transport && transport->rank() == 0) lpot::dismiss_workers(*transport);
  return code;
}

namespace lpot::cli {

CLI::App* add_verb(CLI::App& app, Context& context, const std::string& name, const std::string& description,
                   const std::string& examples) {
  CLI::App* verb = app.add_subcommand(name, description);
  verb->add_flag("--json", context.common.json, "Print the result as JSON");
  verb->add_flag("-q,--quiet", context.common.quiet, "No progress, no warnings");
  verb->add_flag("-v,--verbose", context.common.verbose, "Print debug messages");
  verb->footer("Examples:\n" + examples);
  return verb;
}

}  // namespace lpot::cli
