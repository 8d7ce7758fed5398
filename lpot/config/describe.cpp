#include "lpot/config/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <map>

#include "lpot/config/undeclared_recipe_keys.h"

namespace lpot {
namespace {

// Collects "key = value" lines. Values that are unset or empty produce no line.
class Lines {
 public:
  template <typename T>
  void add(const std::string& key, const T& value) {
    lines_.push_back(fmt::format("{} = {}", key, value));
  }
  template <typename T>
  void add(const std::string& key, const std::optional<T>& value) {
    if (value) add(key, *value);
  }
  template <typename T>
  void add(const std::string& key, const std::vector<T>& values) {
    if (!values.empty()) lines_.push_back(fmt::format("{} = [{}]", key, fmt::join(values, ", ")));
  }
  void add_text(const std::string& key, const std::string& value) {
    if (!value.empty()) add(key, value);
  }
  void add(const std::string& key, const Component& component) {
    if (!component.name.empty()) add(key, fmt::format("{}({})", component.name, component.parameters.describe()));
  }
  void add(const std::string& key, const std::vector<Component>& components) {
    for (const Component& component : components) add(key, component);
  }

  std::vector<std::string> release() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

template <typename Word>
std::vector<std::string_view> names(const std::vector<Word>& words) {
  std::vector<std::string_view> found;
  for (const Word word : words) found.push_back(to_string(word));
  return found;
}

void add_tensor(Lines& lines, const std::string& key, const TensorRestriction& tensor) {
  lines.add(key + ".granularity", names(tensor.granularities));
  lines.add(key + ".scheme", names(tensor.symmetries));
  lines.add(key + ".dtype", names(tensor.precisions));
  lines.add(key + ".algorithm", names(tensor.algorithms));
  lines.add(key + ".bit", tensor.bits);
}

void add_op(Lines& lines, const std::string& key, const OpRestriction& op) {
  add_tensor(lines, key + ".weight", op.weight);
  add_tensor(lines, key + ".activation", op.activation);
}

void add_loader(Lines& lines, const std::string& key, const std::optional<LoaderConfig>& loader) {
  if (!loader) return;
  lines.add(key + ".batch_size", loader->batch_size);
  lines.add(key + ".last_batch", loader->last_batch == LastBatch::Discard ? "discard" : "rollover");
  lines.add(key + ".shuffle", loader->shuffle);
  lines.add(key + ".sequence_length", loader->sequence_lengths);
  if (loader->subset) lines.add(key + ".subset", std::vector{loader->subset->from, loader->subset->to});
  if (loader->skip_unreadable) lines.add(key + ".on_error", "skip");
  lines.add(key + ".filter.LabelBalance.size", loader->label_balance);
  lines.add(key + ".dataset", loader->dataset);
  lines.add(key + ".transform", loader->transforms);
}

void add_instances(Lines& lines, const std::string& key, const InstanceConfig& instances) {
  lines.add(key + ".cores_per_instance", instances.cores_per_instance);
  lines.add(key + ".num_of_instance", instances.num_of_instance);
  lines.add(key + ".inter_num_of_threads", instances.inter_num_of_threads);
  lines.add(key + ".intra_num_of_threads", instances.intra_num_of_threads);
  lines.add(key + ".kmp_blocktime", instances.kmp_blocktime);
}

void add_model(Lines& lines, const ModelConfig& model) {
  lines.add_text("model.name", model.name);
  lines.add("model.framework", model.framework_name);
  lines.add("model.inputs", model.inputs);
  lines.add("model.outputs", model.outputs);
  for (const auto& [name, shape] : model.input_shapes) lines.add("model.input_shapes." + name, shape);
  for (const auto& [output, input] : model.state) lines.add("model.state." + output, input);
}

std::string text_of(const RecipeValue& value) {
  return std::visit([](auto held) { return fmt::format("{}", held); }, value);
}

// The value of a recipe's key, set by the user or default; "" if there is none.
std::string text_of(const RecipeDeclaration& recipe, const RecipeConfig& config) {
  const auto written = config.values.find(recipe.name);
  return written == config.values.end() ? recipe.key.parameter.default_value : text_of(written->second);
}

void add_recipes(Lines& lines, const RecipeConfig& config, const RecipeDeclarations& recipes) {
  std::multimap<int, std::pair<std::string, std::string>> by_position{
      {yaml::kFirstOpPosition, {yaml::kFirstOpKey, text_of(config.first_conv_or_matmul_quantization)}}};
  if (config.half_range)
    by_position.emplace(yaml::kHalfRangePosition, std::pair(yaml::kHalfRangeKey, text_of(*config.half_range)));
  if (!config.measured_kernel_variants)
    by_position.emplace(yaml::kKernelVariantsPosition, std::pair(yaml::kKernelVariantsAlias, "plain"));
  for (const RecipeDeclaration& recipe : recipes)
    if (!recipe.key.parameter.name.empty())
      by_position.emplace(recipe.key.position,
                          std::pair(recipe.key.aliases.empty() ? recipe.key.parameter.name : recipe.key.aliases.back(),
                                    text_of(recipe, config)));
  for (const auto& [position, entry] : by_position) lines.add_text("quantization.recipes." + entry.first, entry.second);
  for (const auto& [key, value] : config.advance) lines.add_text("quantization.advance." + key, value);
}

void add_quantization(Lines& lines, const QuantizationConfig& quantization, const RecipeDeclarations& recipes) {
  const bool dynamic = quantization.approach == Approach::DynamicQuantization;
  lines.add("quantization.approach", dynamic ? "post_training_dynamic_quant" : "post_training_static_quant");
  if (quantization.precision) lines.add("quantization.precision", std::string(to_string(*quantization.precision)));
  lines.add("quantization.calibration.sampling_size", quantization.sampling_sizes);
  add_loader(lines, "quantization.calibration.dataloader", quantization.calibration);
  add_recipes(lines, quantization.recipes, recipes);
  add_op(lines, "quantization.model_wise", quantization.model_wise);
  for (const auto& [name, op] : quantization.op_wise) add_op(lines, "quantization.op_wise." + name, op);
}

void add_tuning(Lines& lines, const TuningConfig& tuning) {
  constexpr std::array<std::string_view, 3> kObjectives{"performance", "modelsize", "footprint"};
  lines.add("tuning.strategy", tuning.strategy);
  lines.add(tuning.criterion.relative ? "tuning.accuracy_criterion.relative" : "tuning.accuracy_criterion.absolute",
            tuning.criterion.tolerance);
  lines.add("tuning.accuracy_criterion.higher_is_better", tuning.criterion.higher_is_better);
  lines.add("tuning.objective", kObjectives[static_cast<std::size_t>(tuning.objective)]);
  lines.add("tuning.exit_policy.timeout", tuning.exit_policy.timeout_seconds);
  lines.add("tuning.exit_policy.max_trials", tuning.exit_policy.max_trials);
  lines.add("tuning.exit_policy.performance_only", tuning.exit_policy.performance_only);
  lines.add("tuning.random_seed", tuning.random_seed);
  lines.add("tuning.tensorboard", tuning.tensorboard);
  lines.add_text("tuning.workspace.path", tuning.workspace);
  lines.add_text("tuning.workspace.resume", tuning.resume_from);
}

void add_evaluation(Lines& lines, const Config& config) {
  lines.add("evaluation.accuracy.metric", config.accuracy.metrics);
  add_loader(lines, "evaluation.accuracy.dataloader", config.accuracy.loader);
  lines.add("evaluation.accuracy.postprocess.transform", config.accuracy.postprocess);
  lines.add("evaluation.accuracy.iteration", config.accuracy.iteration);
  add_instances(lines, "evaluation.accuracy.configs", config.accuracy.instances);
  lines.add_text("evaluation.accuracy.command", config.accuracy.command);
  lines.add("evaluation.accuracy.confidence", config.accuracy.confidence);
  if (!config.performance) return;
  lines.add("evaluation.performance.warmup", config.performance->warmup);
  lines.add("evaluation.performance.iteration", config.performance->iteration);
  add_loader(lines, "evaluation.performance.dataloader", config.performance->loader);
  add_instances(lines, "evaluation.performance.configs", config.performance->instances);
}

}  // namespace

std::vector<std::string> describe(const Config& config, const RecipeDeclarations& recipes) {
  Lines lines;
  add_model(lines, config.model);
  add_quantization(lines, config.quantization, recipes);
  add_tuning(lines, config.tuning);
  add_evaluation(lines, config);
  return lines.release();
}

}  // namespace lpot
