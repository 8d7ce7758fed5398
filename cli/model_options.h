// Options for the inputs, outputs and input shapes of a model, for verbs without a configuration.
#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>
#include <vector>

#include "lpot/core/error.h"
#include "lpot/model/load.h"

namespace lpot::cli {

// Parses "input_ids=1,128" into a name and a shape. -1 (dynamic) is allowed only with `allow_dynamic`.
inline std::map<std::string, std::vector<std::int64_t>> parse_shapes(const std::vector<std::string>& texts,
                                                                     const std::string& option, bool allow_dynamic) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const std::string& text : texts) {
    const auto fail = [&] {
      return ConfigError("model", fmt::format("{}: expected NAME=1,128, got '{}'", option, text));
    };
    const auto equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || text.back() == ',') throw fail();
    std::vector<std::int64_t>& shape = shapes[text.substr(0, equals)];
    for (const char *at = text.data() + equals + 1, *end = text.data() + text.size(); at < end; ++at) {
      std::int64_t dimension = 0;
      const auto parsed = std::from_chars(at, end, dimension);
      const bool sensible = dimension > 0 || (allow_dynamic && dimension == -1);
      if (parsed.ec != std::errc() || !sensible || (parsed.ptr != end && *parsed.ptr != ',')) throw fail();
      shape.push_back(dimension);
      at = parsed.ptr;
    }
    if (shape.empty()) throw fail();
  }
  return shapes;
}

struct ModelOptions {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> input_shapes;

  void add_to(CLI::App& verb) {
    verb.add_option("--inputs", inputs, "Tensors that become the model's inputs: a,b")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAMES");
    verb.add_option("--outputs", outputs, "Tensors that become the model's outputs: a,b")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAMES");
    verb.add_option("--input-shape", input_shapes,
                    "Shape of an input, -1 for dynamic dimensions: NAME=1,49,10 (repeat for more inputs)")
        ->allow_extra_args(false)
        ->type_name("NAME=SHAPE");
  }

  bool is_empty() const { return inputs.empty() && outputs.empty() && input_shapes.empty(); }
  LoadOptions load_options() const { return {inputs, outputs, parse_shapes(input_shapes, "--input-shape", true)}; }
};

}  // namespace lpot::cli
