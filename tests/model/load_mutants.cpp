#include "tests/model/load_mutants.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "tests/model/mutate.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

enum Ending { kLoaded = 0, kRejected = 1, kOtherException = 2 };

[[noreturn]] void load_and_exit(const fs::path& path, const fs::path& note, const MutantOptions& options) {
  const rlim_t memory = options.memory_mb << 20;
  const rlimit limit{memory, memory}, time{options.seconds, options.seconds}, no_core{0, 0};
  ::setrlimit(RLIMIT_AS, &limit);
  ::setrlimit(RLIMIT_CPU, &time);
  ::setrlimit(RLIMIT_CORE, &no_core);
  int code = kLoaded;
  try {
    list_ops(load_model(path));
  } catch (const ModelError&) {
    code = kRejected;
  } catch (const std::exception& error) {
    std::ofstream(note) << error.what();
    code = kOtherException;
  }
  ::_exit(code);
}

std::string read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The cause of a crash, or "" if the child did not crash.
std::string crash_cause(int status, const fs::path& note, Mutants& mutants) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  switch (WEXITSTATUS(status)) {
    case kLoaded:
      ++mutants.loaded;
      return "";
    case kRejected:
      ++mutants.rejected;
      return "";
    case kOtherException:
      return fmt::format("exception: {}", read_all(note).substr(0, 100));
    default:
      return fmt::format("exit code {}", WEXITSTATUS(status));
  }
}

}  // namespace

Mutants load_mutants(const fs::path& path, const fs::path& file, const MutantOptions& options) {
  const fs::path memory = "/dev/shm";
  const fs::path folder =
      (fs::is_directory(memory) ? memory : fs::temp_directory_path()) / fmt::format("lpot-mutants-{}", ::getpid());
  fs::create_directories(folder);
  const fs::path copy = folder / path.filename();
  fs::copy(path, copy, fs::copy_options::recursive);
  if (const fs::path weights = fs::path(path).replace_extension(".bin"); path.extension() == ".xml")
    fs::copy(weights, folder / weights.filename());
  // Inside the folder of a SavedModel, else beside the model.
  const fs::path target = fs::is_directory(path) ? copy / fs::relative(file, path) : folder / file.filename();
  const std::string whole = read_all(target);
  Mutants mutants;
  for (; mutants.tried < options.count; ++mutants.tried) {
    std::ofstream(target, std::ios::binary) << Mutator(options.seed + mutants.tried).mutate(whole);
    const pid_t child = ::fork();
    if (child == 0) load_and_exit(copy, folder / "note", options);
    int status = 0;
    ::waitpid(child, &status, 0);
    const std::string cause = crash_cause(status, folder / "note", mutants);
    if (cause.empty()) continue;
    ++mutants.crashed[cause];
    if (options.crash_folder.empty()) continue;
    fs::create_directories(options.crash_folder);
    const fs::path stored = options.crash_folder / fmt::format("{}-{}{}", file.stem().string(),
                                                               options.seed + mutants.tried, file.extension().string());
    fs::copy(target, stored, fs::copy_options::overwrite_existing);
    mutants.stored.push_back(stored);
  }
  fs::remove_all(folder);
  return mutants;
}

}  // namespace lpot
