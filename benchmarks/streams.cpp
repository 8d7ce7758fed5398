// Counts how often one of two streams computes wrong outputs if a process starts by compiling a model for two streams:
// as OpenVINO compiles it, and with lpot's Runner, which compares the streams.
//
//   bench_streams model.xml 400 2 256           400 processes each, inputs [2, 256]; inputs of one dimension [2]
//
// The inputs are those of a BERT: random token ids, a mask of ones, segments of zeros, and unique numbers.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

#include "lpot/model/load.h"
#include "lpot/runtime/runner.h"

namespace {

using namespace lpot;
using Values = std::vector<float>;

struct Settings {
  std::string model;
  int processes = 0;
  std::size_t batch = 0, width = 0;
};

std::vector<Tensor> inputs_of(const Model& model, const Settings& settings) {
  std::mt19937 random(1);
  std::vector<Tensor> inputs;
  for (const Port& port : model_inputs(model)) {
    const Shape shape = port.shape.size() == 1 ? Shape{settings.batch} : Shape{settings.batch, settings.width};
    Tensor tensor(parse_element_type(port.element_type), shape);
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      const std::int64_t values[] = {1000 + static_cast<std::int64_t>(random() % 19000), 1, 0,
                                     static_cast<std::int64_t>(i)};
      const std::int64_t value = values[std::min<std::size_t>(inputs.size(), 3)];
      if (tensor.element_type() == ElementType::I64)
        tensor.data<std::int64_t>()[i] = value;
      else
        tensor.data<std::int32_t>()[i] = static_cast<std::int32_t>(value);
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

void append(Values& values, const std::vector<Tensor>& outputs) {
  for (const Tensor& output : outputs)
    if (output.element_type() == ElementType::F32)
      values.insert(values.end(), output.data<float>(), output.data<float>() + output.size());
}

// Four inferences of the same batch, two at a time.
std::vector<Values> plain(const Model& model, const std::vector<Tensor>& inputs, int streams) {
  CompileOptions options{.threads = 2, .streams = streams};
  for (const Tensor& input : inputs) options.input_shapes.push_back(input.shape());
  Executable executable(model, options);
  std::vector<Values> results;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < streams; ++i) executable.start(inputs);
    for (int i = 0; i < streams; ++i) append(results.emplace_back(), executable.finish());
  }
  return results;
}

std::vector<Values> checked(const Model& model, const std::vector<Tensor>& inputs, const Observer& observer) {
  Runner runner(model, {}, {.threads = 2, .observer = &observer});
  std::vector<Values> results;
  int given = 0;
  runner.run([&] { return given++ < 4 ? std::optional(inputs) : std::nullopt; },
             [&](const std::vector<Tensor>& outputs) { append(results.emplace_back(), outputs); });
  return results;
}

bool are_equal(const Values& a, const Values& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float one, float other) { return std::fabs(one - other) < 1e-2f; });
}

enum Outcome { kRight = 0, kWrong = 1, kCompiledAgain = 2 };

// Runs in a separate process.
int run(const Settings& settings, bool checks, const std::string& reference) {
  const Model model = load_model(settings.model, {.probe = false});
  const std::vector<Tensor> inputs = inputs_of(model, settings);
  bool again = false;
  Observer observer;
  observer.on_log = [&](LogLevel, std::string_view) { again = true; };
  if (!std::filesystem::exists(reference)) {  // the first process writes the outputs of one stream
    const Values right = plain(model, inputs, 1).front();
    std::ofstream(reference, std::ios::binary)
        .write(reinterpret_cast<const char*>(right.data()), static_cast<std::streamsize>(right.size() * sizeof(float)));
    return kRight;
  }
  Values right(std::filesystem::file_size(reference) / sizeof(float));
  std::ifstream(reference, std::ios::binary)
      .read(reinterpret_cast<char*>(right.data()), static_cast<std::streamsize>(right.size() * sizeof(float)));
  for (const Values& values : checks ? checked(model, inputs, observer) : plain(model, inputs, 2))
    if (!are_equal(values, right)) return kWrong;
  return again ? kCompiledAgain : kRight;
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) {
    std::cerr << "usage: bench_streams model.xml processes batch width\n";
    return 2;
  }
  const Settings settings{words[1], std::atoi(words[2]), std::strtoul(words[3], nullptr, 10),
                          std::strtoul(words[4], nullptr, 10)};
  const std::string reference =
      (std::filesystem::temp_directory_path() / ("lpot_streams_" + std::to_string(getpid()))).string();
  int outcomes[2][3] = {};
  for (int i = -1; i < 2 * settings.processes; ++i) {
    const bool checks = i % 2 != 0;
    const pid_t child = fork();
    if (child == 0) {
      try {
        _exit(run(settings, checks, reference));
      } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        _exit(3);
      }
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > kCompiledAgain) return 1;
    if (i >= 0) ++outcomes[checks][WEXITSTATUS(status)];
  }
  std::filesystem::remove(reference);
  std::cout << "| two streams | processes | wrong | compiled again |\n|---|---|---|---|\n";
  for (const bool checks : {false, true})
    std::cout << "| " << (checks ? "compared" : "as compiled") << " | " << settings.processes << " | "
              << outcomes[checks][kWrong] << " | " << outcomes[checks][kCompiledAgain] << " |\n";
  return 0;
}
