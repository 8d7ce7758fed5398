#include "lpot/config/read.h"

#include <fmt/format.h>

#include "lpot/config/read_parts.h"
#include "lpot/config/undeclared_recipe_keys.h"
#include "lpot/config/unsupported_keys.h"

namespace lpot::yaml {
namespace {

Framework framework_of(std::string_view name) {
  if (name.starts_with("onnx")) return Framework::Onnx;
  if (name.find("tensorflow") != name.npos) return Framework::TensorFlow;
  if (name.starts_with("pytorch")) return Framework::PyTorch;
  if (name == "tflite") return Framework::TensorFlowLite;
  return name == "openvino" ? Framework::OpenVino : Framework::Auto;
}

ModelConfig read_model(const Section& model, bool needs_name) {
  const Parameters& values = model.values();
  ModelConfig config;
  if (values.has("name")) config.name = values.text("name");
  if (needs_name && config.name.empty()) {
    const Node* written = model.find("name");
    fail(written ? written->place : model.place(), "model.name",
         "missing; expected a string (the workspace is named after it)");
  }
  config.framework_name = values.text("framework");
  config.framework = framework_of(config.framework_name);
  if (values.has("inputs")) config.inputs = values.texts("inputs");
  if (values.has("outputs")) config.outputs = values.texts("outputs");
  if (values.has("state")) config.state = values.text_map("state");
  if (const Node* shapes = model.find("input_shapes")) {
    if (!shapes->is_map()) fail(shapes->place, model.path_of(*shapes), "expected a map, got " + describe_node(*shapes));
    const Key shape{.value = {.name = "", .kind = ValueKind::IntegerList}, .limits = {.low = -1}};
    for (const Node& item : shapes->items)
      config.input_shapes[item.key] =
          std::get<std::vector<std::int64_t>>(read_value(item, path_of(model.path_of(*shapes), item), shape));
  }
  return config;
}

RecipeValue recipe_value(const Parameters& values, const Parameter& key) {
  switch (key.kind) {
    case ValueKind::Integer:
      return values.integer(key.name);
    case ValueKind::Number:
      return values.number(key.name);
    default:
      return values.flag(key.name);
  }
}

RecipeConfig read_recipes(const Section& recipes, const Section& advance, const RecipeDeclarations& declarations) {
  RecipeConfig config;
  for (const RecipeDeclaration& recipe : declarations) {
    const Parameter& key = recipe.key.parameter;
    const std::optional<Parameter>& in_advance = recipe.key.advance;
    if (!key.name.empty() && recipes.has(key.name)) config.values[recipe.name] = recipe_value(recipes.values(), key);
    if (in_advance && advance.has(in_advance->name))
      config.advance[in_advance->name] = advance.values().text(in_advance->name);
  }
  const Parameters& values = recipes.values();
  config.first_conv_or_matmul_quantization = values.flag(kFirstOpKey);
  if (values.has(kHalfRangeKey)) config.half_range = values.flag(kHalfRangeKey);
  config.measured_kernel_variants = values.text(kKernelVariantsKey) == "measured";
  return config;
}

QuantizationConfig read_quantization(const Section& quantization, const ComponentTables& tables) {
  QuantizationConfig config;
  if (quantization.values().text("approach") == "post_training_dynamic_quant")
    config.approach = Approach::DynamicQuantization;
  config.precision = parse<InferencePrecision>(quantization.values().text("precision"));  // auto: none
  const Section calibration = quantization.section("calibration");
  const auto& sizes = calibration.values().integers("sampling_size");
  if (sizes.empty()) {
    const Node& written = *calibration.find("sampling_size");
    fail(written.place, calibration.path_of(written), "expected a list of integers, each >= 1, got an empty list");
  }
  config.sampling_sizes.assign(sizes.begin(), sizes.end());
  config.calibration = read_loader(calibration, tables);
  config.recipes = read_recipes(quantization.section("recipes"), quantization.section("advance"), tables.recipes);
  config.model_wise = read_restriction(quantization.section("model_wise"));
  config.op_wise = read_op_wise(quantization);
  return config;
}

Criterion read_criterion(const Section& section) {
  const Parameters& values = section.values();
  Criterion criterion{.higher_is_better = values.flag("higher_is_better")};
  if (values.has("relative") && values.has("absolute")) {
    const Node& relative = *section.find("relative");
    const Node& absolute = *section.find("absolute");
    fail(absolute.place, section.path_of(absolute),
         fmt::format("conflicts with {} at {}. Keep only one of them.", section.path_of(relative),
                     to_string(relative.place)));
  }
  criterion.relative = !values.has("absolute");
  if (values.has("relative")) criterion.tolerance = values.number("relative");
  if (values.has("absolute")) criterion.tolerance = values.number("absolute");
  return criterion;
}

Objective objective_of(const std::string& name) {
  if (name == "modelsize") return Objective::ModelSize;
  return name == "footprint" ? Objective::Footprint : Objective::Performance;
}

TuningConfig read_tuning(const Section& tuning, const ComponentTables& tables) {
  TuningConfig config;
  const Node* strategy = tuning.find("strategy");
  config.strategy =
      read_strategy(strategy ? *strategy : Node{}, strategy ? tuning.path_of(*strategy) : "tuning.strategy",
                    {tables.strategies, "strategy"});
  config.criterion = read_criterion(tuning.section("accuracy_criterion"));
  config.objective = objective_of(tuning.values().text("objective"));
  const Section exit_policy = tuning.section("exit_policy");
  config.exit_policy = {.timeout_seconds = exit_policy.values().number("timeout"),
                        .max_trials = static_cast<std::size_t>(exit_policy.values().integer("max_trials")),
                        .performance_only = exit_policy.values().flag("performance_only")};
  config.random_seed = static_cast<std::uint64_t>(tuning.values().integer("random_seed"));
  config.tensorboard = tuning.values().flag("tensorboard");
  const Section workspace = tuning.section("workspace");
  if (workspace.values().has("path")) config.workspace = workspace.values().text("path");
  if (workspace.values().has("resume")) config.resume_from = workspace.values().text("resume");
  return config;
}

AccuracyConfig read_accuracy(const Section& accuracy, const ComponentTables& tables) {
  const Parameters& values = accuracy.values();
  AccuracyConfig config;
  const Node* metric = accuracy.find("metric");
  if (metric) config.metrics = read_components(*metric, accuracy.path_of(*metric), {tables.metrics, "metric"});
  config.loader = read_loader(accuracy, tables);
  const Section postprocess = accuracy.section("postprocess");
  if (const Node* transform = postprocess.find("transform"))
    config.postprocess = read_components(*transform, postprocess.path_of(*transform),
                                         {tables.postprocesses, "postprocessing transform"});
  config.iteration = read_iteration(accuracy);
  config.instances = read_instances(accuracy.section("configs"));
  if (values.has("command")) config.command = values.text("command");
  if (values.has("confidence")) config.confidence = values.number("confidence");
  if (!config.command.empty() && config.command.find("{model}") == std::string::npos)
    fail(accuracy.find("command")->place, accuracy.path_of(*accuracy.find("command")),
         "the command has no {model}; expected this placeholder, which lpot replaces with the path of the model");
  if (metric && !config.command.empty())
    fail(accuracy.find("command")->place, accuracy.path_of(*accuracy.find("command")),
         fmt::format("conflicts with {} at {}. Keep only one of them.", accuracy.path_of(*metric),
                     to_string(metric->place)));
  return config;
}

PerformanceConfig read_performance(const Section& performance, const ComponentTables& tables) {
  return {.warmup = static_cast<int>(performance.values().integer("warmup")),
          .iteration = read_iteration(performance),
          .loader = read_loader(performance, tables),
          .instances = read_instances(performance.section("configs"))};
}

}  // namespace

Config read_config(const Document& document, const KeyTable& keys, const ComponentTables& tables) {
  const Section top(keys, document.tree, "", "");
  Config config;
  config.warnings = check_unsupported_keys(document.tree, keys);
  config.model = read_model(top.section("model"), !document.ilit);
  config.quantization = read_quantization(top.section("quantization"), tables);
  config.tuning = read_tuning(top.section("tuning"), tables);
  const Section evaluation = top.section("evaluation");
  config.accuracy = read_accuracy(evaluation.section("accuracy"), tables);
  if (evaluation.has("performance")) config.performance = read_performance(evaluation.section("performance"), tables);
  return config;
}

}  // namespace lpot::yaml
