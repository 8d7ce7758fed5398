#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/config_options.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/json.h"
#include "lpot/model/load.h"

namespace lpot::cli {
namespace {

struct InitVerb {
  std::string model;
  std::string output;
  bool force = false;
  DataOptions from_data;
};

bool has_shape(const std::vector<Port>& inputs, std::int64_t channels, std::int64_t side) {
  return inputs.size() == 1 && inputs[0].shape.size() == 4 && inputs[0].shape[1] == channels &&
         inputs[0].shape[2] == side && inputs[0].shape[3] == side;
}

// A data set for the model's inputs: CIFAR-10 or Fashion-MNIST for their image sizes, else .npy files.
std::string dataset_lines(const std::vector<Port>& inputs, const std::string& part) {
  const std::string indent = "        ";
  const bool train = part == "train";
  if (has_shape(inputs, 3, 32))
    return fmt::format(
        "{0}CIFAR10: {{root: ./cifar10, train: {1}}}   # the folder with data_batch_*.bin and test_batch.bin\n"
        "      transform:\n{0}ToTensor: {{}}\n{0}Normalize: {{mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, "
        "0.225]}}\n",
        indent, train);
  if (has_shape(inputs, 1, 28))
    return fmt::format(
        "{0}FashionMNIST: {{root: /usr/share/datasets/fashion-mnist, train: {1}}}   # or MNIST\n"
        "      transform:\n{0}ToTensor: {{}}\n{0}Normalize: {{mean: [0.2860], std: [0.3530]}}\n",
        indent, train);
  std::vector<std::string> files;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    files.push_back(fmt::format("'{}': {}_input{}.npy", inputs[i].name, part, i));
  return fmt::format(
      "{0}npy:   # one array per input, the first dimension counts samples\n{0}  inputs: {{{1}}}\n{0}  labels: "
      "{2}_labels.npy\n",
      indent, fmt::join(files, ", "), part);
}

std::string_view framework_of(const Model& model) {
  return model.format == ModelFormat::Paddle ? "auto" : to_string(model.format);
}

std::string config_text(const Model& model) {
  const std::vector<Port> inputs = model_inputs(model);
  std::string ports;
  for (const Port& port : inputs) ports += fmt::format("# input  {}\n", port.describe());
  for (const Port& port : model_outputs(model)) ports += fmt::format("# output {}\n", port.describe());
  return fmt::format(R"(# Tune with: lpot tune THIS_FILE --model {0}
{1}
model:
  name: {2}
  framework: {3}

quantization:
  calibration:
    sampling_size: 300            # samples used to calibrate the int8 ranges
    dataloader:
      batch_size: 10
      dataset:
{4}
evaluation:
  accuracy:
    metric:
      topk: 1                     # or Accuracy, MSE; Agreement when there are no labels
    dataloader:
      batch_size: 32
      dataset:
{5}
tuning:
  strategy:
    name: auto                    # meets the goal with few evaluations; 'lpot reference' lists the others
  accuracy_criterion:
    relative: 0.01                # at most 1% of the fp32 model's accuracy may be lost
  exit_policy:
    timeout: 0                    # 0: stop at the first model that meets the goal
    max_trials: 100
)",
                     model.source.string(), ports, nlohmann::json(model.source.stem().string()).dump(),
                     framework_of(model), dataset_lines(inputs, "train"), dataset_lines(inputs, "test"));
}

std::string text_from_data(const InitVerb& verb, const Model& model, Terminal& terminal) {
  const Observer observer = terminal.observer();
  const AutoConfig made = auto_config(model, verb.from_data.auto_config_options(), observer);
  for (const std::string& warning : made.warnings) observer.log(LogLevel::Warning, warning);
  return made.text;
}

int run_init(const InitVerb& verb, const Context& context) {
  const Model model = load_model(verb.model);
  Terminal terminal(context.common);
  const bool has_data = !verb.from_data.data.empty();
  const std::string text = has_data ? text_from_data(verb, model, terminal) : config_text(model);
  if (!verb.output.empty()) {
    if (std::filesystem::exists(verb.output) && !verb.force)
      throw StoreError("init", fmt::format("{}: the file exists already; use --force to overwrite it", verb.output));
    write_file(verb.output, text);
  }
  if (context.common.json) {
    fmt::print("{}\n", dump_json(nlohmann::ordered_json{{"config", verb.output}, {"text", text}}, 2));
  } else if (verb.output.empty()) {
    fmt::print("{}", text);
  } else {
    fmt::print("Wrote {}. {}, then run:\n  lpot tune {} --model {}\n", verb.output,
               has_data ? "Check it" : "Set its data sets", verb.output, verb.model);
  }
  return kSuccess;
}

}  // namespace

void add_init(CLI::App& app, Context& context) {
  const auto verb = std::make_shared<InitVerb>();
  CLI::App* command = add_verb(app, context, "init", "Write a starting configuration for a model",
                               "  lpot init resnet20.onnx --data pictures --output conf.yaml\n"
                               "  lpot init resnet20.onnx --output conf.yaml");
  command->add_option("model", verb->model, fmt::format("The model: {}", kModelFiles))->required();
  command->add_option("-o,--output", verb->output, "The file to write (default: standard output)");
  verb->from_data.add_to(*command);
  command->add_flag("--force", verb->force, "Overwrite an existing file");
  command->callback([verb, &context] { context.run = [verb, &context] { return run_init(*verb, context); }; });
}

}  // namespace lpot::cli
