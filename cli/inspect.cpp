#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/model_options.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "lpot/core/json.h"
#include "lpot/model/load.h"
#include "lpot/quantize/graph/products.h"
#include "lpot/quantize/graph/quantized_ops.h"
#include "lpot/report/table.h"
#include "lpot/runtime/kernels.h"
#include "lpot/runtime/latency.h"

namespace lpot::cli {
namespace {

nlohmann::ordered_json ports_json(const std::vector<Port>& ports) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Port& port : ports)
    json.push_back({{"name", port.name}, {"element_type", port.element_type}, {"shape", port.shape}});
  return json;
}

template <typename Op>
nlohmann::ordered_json ops_json(const std::vector<Op>& ops) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Op& op : ops) json.push_back({{"name", op.name}, {"type", op.type}});
  return json;
}

template <typename Op>
void print_ops(const std::vector<Op>& ops) {
  std::vector<Row> rows;
  for (const Op& op : ops) rows.push_back({op.name, op.type});
  print_table({"name", "type"}, rows);
}

struct InspectVerb {
  std::string path;
  ModelOptions options;
  bool executed = false;
  std::size_t batch_size = 1;
  std::vector<std::string> shapes;
};

// Prints the kernels that the runtime executes, with their times.
int print_executed(const InspectVerb& verb, const Model& model, const Context& context) {
  const KernelReport report =
      profile_kernels(model, generate_inputs(model, verb.batch_size, parse_shapes(verb.shapes, "--shape", false)));
  const auto percent = [&](double part) { return report.total_ms > 0 ? 100 * part / report.total_ms : 0.0; };
  if (context.common.json) {
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    for (const ExecutedOp& op : report.kernels)
      kernels.push_back({{"name", op.name},
                         {"type", op.type},
                         {"kernel", op.kernel},
                         {"precision", op.precision},
                         {"ops", op.source_names},
                         {"in_body", op.is_in_body},
                         {"ms", op.time_ms}});
    fmt::print("{}\n", dump_json(nlohmann::ordered_json{{"path", verb.path},
                                                        {"batch_size", verb.batch_size},
                                                        {"total_ms", report.total_ms},
                                                        {"int8_kernels", report.int8_kernels},
                                                        {"int8_kernels_in_bodies", report.int8_kernels_in_bodies},
                                                        {"int8_percent", percent(report.int8_ms)},
                                                        {"conversions", report.conversions},
                                                        {"conversions_percent", percent(report.conversions_ms)},
                                                        {"kernels", kernels}},
                                 2));
    return kSuccess;
  }
  std::vector<Row> rows;
  for (const ExecutedOp& op : report.kernels)
    rows.push_back({op.name, op.type, op.kernel, op.precision, op.is_in_body ? "-" : fmt::format("{:.3f}", op.time_ms),
                    op.is_in_body ? "-" : fmt::format("{:.1f}%", percent(op.time_ms))});
  print_table({"name", "type", "kernel", "output", "ms", "share"}, rows);
  fmt::print("\n{} int8 kernels take {:.0f}% of {:.3f} ms, {} conversions of layout or type {:.0f}%\n",
             report.int8_kernels, percent(report.int8_ms), report.total_ms, report.conversions,
             percent(report.conversions_ms));
  const bool has_bodies =
      std::any_of(report.kernels.begin(), report.kernels.end(), [](const ExecutedOp& op) { return op.is_in_body; });
  if (has_bodies)
    fmt::print(
        "{} more int8 kernels are inside If, Loop or TensorIterator. The runtime only reports the time of these "
        "as a whole.\n",
        report.int8_kernels_in_bodies);
  return kSuccess;
}

int run_inspect(const InspectVerb& verb, const Context& context) {
  const std::string& path = verb.path;
  const Model model = load_model(path, verb.options.load_options());
  if (verb.executed) return print_executed(verb, model, context);
  const std::vector<OpInfo> ops = list_ops(model);
  const std::vector<QuantizableOp> quantizable = searchable_ops(model);
  const QuantizedOps quantized = quantized_ops(model);
  std::map<std::string, std::size_t> types;
  for (const OpInfo& op : ops) ++types[op.type];

  if (context.common.json) {
    fmt::print("{}\n", dump_json(nlohmann::ordered_json{{"path", path},
                                                        {"format", to_string(model.format)},
                                                        {"size_bytes", model.size_bytes},
                                                        {"fingerprint", model.fingerprint},
                                                        {"inputs", ports_json(model_inputs(model))},
                                                        {"outputs", ports_json(model_outputs(model))},
                                                        {"op_types", types},
                                                        {"quantizable", ops_json(quantizable)},
                                                        {"quantized", ops_json(quantized.ops)}},
                                 2));
    return kSuccess;
  }
  fmt::print("{}: {}, {}\n", path, to_string(model.format), format_bytes(model.size_bytes));
  for (const Port& port : model_inputs(model)) fmt::print("input   {}\n", port.describe());
  for (const Port& port : model_outputs(model)) fmt::print("output  {}\n", port.describe());
  fmt::print("\n{} ops:", ops.size());
  for (const auto& [type, count] : types) fmt::print(" {} {}", count, type);
  if (quantizable.empty()) {
    fmt::print("\n\nlpot can quantize none of them.\n");
  } else {
    fmt::print("\n\n{} of them can run in int8:\n", quantizable.size());
    print_ops(quantizable);
  }
  if (!quantized.ops.empty()) {
    fmt::print("\nThe model is quantized already: {}.\n", describe(quantized));
    print_ops(quantized.ops);
  }
  return kSuccess;
}

}  // namespace

void add_inspect(CLI::App& app, Context& context) {
  const auto verb = std::make_shared<InspectVerb>();
  CLI::App* command =
      add_verb(app, context, "inspect", "Show a model's inputs, outputs and the ops that can run in int8",
               "  lpot inspect resnet20.onnx\n"
               "  lpot inspect --executed int8/model.xml --batch-size 32\n"
               "  lpot inspect kws.pb --inputs Mfcc --input-shape Mfcc=-1,49,10");
  command->add_option("model", verb->path, fmt::format("The model: {}", kModelFiles))->required();
  command->add_flag("--executed", verb->executed,
                    "Show the kernels that the runtime executes, their times and the share of int8");
  command->add_option("-b,--batch-size", verb->batch_size, "Samples per inference, with --executed")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--shape", verb->shapes, "Shape of an input with dynamic dimensions: NAME=1,128")
      ->allow_extra_args(false)
      ->type_name("NAME=SHAPE");
  verb->options.add_to(*command);
  command->callback([verb, &context] { context.run = [verb, &context] { return run_inspect(*verb, context); }; });
}

}  // namespace lpot::cli
