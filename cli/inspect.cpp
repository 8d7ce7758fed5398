#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/model_options.h"
#include "cli/verbs.h"
#include "lpot/model/load.h"
#include "lpot/quantize/capability.h"
#include "lpot/report/table.h"

namespace lpot::cli {
namespace {

nlohmann::ordered_json ports_json(const std::vector<Port>& ports) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Port& port : ports)
    json.push_back({{"name", port.name}, {"element_type", port.element_type}, {"shape", port.shape}});
  return json;
}

struct InspectVerb {
  std::string path;
  ModelOptions options;
};

int run_inspect(const InspectVerb& verb, const Context& context) {
  const std::string& path = verb.path;
  const Model model = load_model(path, verb.options.load_options());
  const std::vector<OpInfo> ops = list_ops(model);
  const std::vector<QuantizableOp> quantizable = quantizable_ops(model);
  std::map<std::string, std::size_t> types;
  for (const OpInfo& op : ops) ++types[op.type];

  if (context.common.json) {
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const QuantizableOp& op : quantizable) names.push_back({{"name", op.name}, {"type", op.type}});
    fmt::print("{}\n", nlohmann::ordered_json{{"path", path},
                                              {"format", to_string(model.format)},
                                              {"size_bytes", model.size_bytes},
                                              {"fingerprint", model.fingerprint},
                                              {"inputs", ports_json(model_inputs(model))},
                                              {"outputs", ports_json(model_outputs(model))},
                                              {"op_types", types},
                                              {"quantizable", names}}
                           .dump(2));
    return kSuccess;
  }
  fmt::print("{}: {}, {}\n", path, to_string(model.format), format_bytes(model.size_bytes));
  for (const Port& port : model_inputs(model)) fmt::print("input   {}\n", port.describe());
  for (const Port& port : model_outputs(model)) fmt::print("output  {}\n", port.describe());
  fmt::print("\n{} ops:", ops.size());
  for (const auto& [type, count] : types) fmt::print(" {} {}", count, type);
  fmt::print("\n\n{} of them can run in int8:\n", quantizable.size());
  std::vector<Row> rows;
  for (const QuantizableOp& op : quantizable) rows.push_back({op.name, op.type});
  fmt::print("{}", format_table({"name", "type"}, rows));
  return kSuccess;
}

}  // namespace

void add_inspect(CLI::App& app, Context& context) {
  const auto verb = std::make_shared<InspectVerb>();
  CLI::App* command = add_verb(app, context, "inspect", "Show a model's inputs, outputs and what of it can run in int8",
                               "  lpot inspect resnet20.onnx\n"
                               "  lpot inspect kws.pb --inputs Mfcc --input-shape Mfcc=-1,49,10");
  command->add_option("model", verb->path, fmt::format("The model: {}", kModelFiles))->required();
  verb->options.add_to(*command);
  command->callback([verb, &context] { context.run = [verb, &context] { return run_inspect(*verb, context); }; });
}

}  // namespace lpot::cli
