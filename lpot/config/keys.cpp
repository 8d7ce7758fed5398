#include "lpot/config/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>

#include "lpot/config/undeclared_recipe_keys.h"

namespace lpot {
namespace yaml {
namespace {

using Words = std::vector<std::string>;
using Sections = std::map<std::string, std::vector<Key>, std::less<>>;

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kMillion = 1e6;

Key key(ValueKind kind, std::string name, std::string default_value, std::string summary) {
  return {.value = {.name = std::move(name),
                    .kind = kind,
                    .default_value = std::move(default_value),
                    .summary = std::move(summary)}};
}

Key flag(std::string name, std::string default_value, std::string summary) {
  return key(ValueKind::Flag, std::move(name), std::move(default_value), std::move(summary));
}

Key text(std::string name, std::string summary) {
  return key(ValueKind::Text, std::move(name), "", std::move(summary));
}

Key path(std::string name, std::string summary) {
  return key(ValueKind::Path, std::move(name), "", std::move(summary));
}

Key texts(std::string name, std::string summary) {
  return key(ValueKind::TextList, std::move(name), "", std::move(summary));
}

Key whole(std::string name, std::string default_value, Limits limits, std::string summary) {
  Key result = key(ValueKind::Integer, std::move(name), std::move(default_value), std::move(summary));
  result.limits = limits;
  return result;
}

Key number(std::string name, std::string default_value, Limits limits, std::string summary) {
  Key result = key(ValueKind::Number, std::move(name), std::move(default_value), std::move(summary));
  result.limits = limits;
  return result;
}

Key choice(std::string name, std::string default_value, Words choices, std::string summary) {
  Key result = key(ValueKind::Text, std::move(name), std::move(default_value), std::move(summary));
  result.value.choices = std::move(choices);
  return result;
}

Key some_of(std::string name, Words choices, std::string summary) {
  Key result = texts(std::move(name), std::move(summary));
  result.value.choices = std::move(choices);
  return result;
}

Key section(std::string name, std::string of, std::string summary) {
  Key result = text(std::move(name), std::move(summary));
  result.shape = KeyShape::Section;
  result.section = std::move(of);
  return result;
}

Key named(std::string name, std::string of, std::string summary) {
  Key result = section(std::move(name), std::move(of), std::move(summary));
  result.shape = KeyShape::Named;
  return result;
}

Key required(Key key) {
  key.value.required = true;
  return key;
}

Key with_hint(Key key, std::string hint) {
  key.hint = std::move(hint);
  return key;
}

Key with_alias(Key key, std::string older_name) {
  key.aliases.push_back(std::move(older_name));
  return key;
}

Key sampling_size() {
  Key result = key(ValueKind::IntegerList, "sampling_size", "100",
                   "number of calibration samples; each value of a list is tried");
  result.limits = {1, kNoLimit};
  return result;
}

Key sequence_length() {
  Key result = key(ValueKind::IntegerList, "sequence_length", "",
                   "with model.state, number of consecutive samples of each sequence; a list has the length of every "
                   "sequence (default: all samples are one sequence)");
  result.limits = {1, kNoLimit};
  return result;
}

Key subset() {
  Key result = key(ValueKind::NumberList, "subset", "",
                   "[from, to]: only this part of the samples, as fractions of a fixed random order; [0, 0.2] and "
                   "[0.2, 1] have no sample in common (default: all samples)");
  result.limits = {0, 1};
  return result;
}

Key version() {
  Key result = key(ValueKind::Number, "version", "1.0", "version of the file format");
  result.value.choices = {"1.0"};
  return result;
}

void add_model(Sections& all) {
  all[""] = {
      version(),
      section("model", "model", "the model to quantize"),
      choice("device", "cpu", {"cpu", "gpu"}, "device that runs the quantized model"),
      section("quantization", "quantization", "how to quantize"),
      section("tuning", "tuning", "how to search and when to stop"),
      section("evaluation", "evaluation", "how accuracy and speed are measured"),
  };
  all["model"] = {
      text("name", "name used for the workspace, the history and deploy.yaml; required except in iLiT files"),
      choice("framework", "auto",
             {"auto", "onnx", "onnxrt_integerops", "onnxrt_qlinearops", "tensorflow", "inteltensorflow",
              "tensorflow_itex", "tflite", "pytorch", "pytorch_fx", "pytorch_ipex", "openvino", "mxnet", "engine"},
             "framework of the model; auto: detected from the file"),
      texts("inputs", "tensors at which the graph begins (default: all inputs)"),
      texts("outputs", "tensors at which the graph ends (default: all outputs)"),
      named("input_shapes", "", "shape of each input by name; -1 marks a dynamic dimension"),
      key(ValueKind::TextMap, "state", "",
          "for streaming models: outputs and the inputs that they feed in the next sample of a sequence, {hn: h}"),
  };
}

Key recipe_key(const RecipeKey& key) {
  return {.value = key.parameter, .limits = {key.low, key.high}, .aliases = key.aliases};
}

// The fixed keys of the section and the keys of the recipes, sorted by position.
std::vector<Key> recipe_keys(const RecipeDeclarations& recipes) {
  std::multimap<int, Key> by_position{
      {kFirstOpPosition, flag(kFirstOpKey, "true", "also quantize the first convolution or matrix multiplication")},
      {kHalfRangePosition,
       flag(kHalfRangeKey, "",
            "use 7-bit weights; default: where an overflow of sums on this CPU would lose more accuracy")},
      {kKernelVariantsPosition,
       with_alias(choice(kKernelVariantsKey, "measured", {"measured", "plain"},
                         "measured: time kernel variants of ops on this machine and leave ops that are slower in int8 "
                         "at fp32; plain: use no variants"),
                  kKernelVariantsAlias)}};
  for (const RecipeDeclaration& recipe : recipes)
    if (!recipe.key.parameter.name.empty()) by_position.emplace(recipe.key.position, recipe_key(recipe.key));
  std::vector<Key> keys;
  for (auto& [position, entry] : by_position) keys.push_back(std::move(entry));
  return keys;
}

void add_quantization(Sections& all, const RecipeDeclarations& recipes) {
  all["quantization"] = {
      choice("approach", "post_training_static_quant",
             {"post_training_static_quant", "post_training_dynamic_quant", "quant_aware_training"},
             "static: ranges come from calibration data; dynamic: only weights are int8, needs no data"),
      choice("precision", "auto", {"auto", "f32", "bf16", "f16"},
             "precision of everything that is not int8; auto: the runtime's default on this CPU, or f32 where f32 is "
             "faster or needed for the accuracy goal"),
      section("calibration", "calibration", "the data that activation ranges are computed from"),
      section("recipes", "recipes", "optional methods that apply to the whole model"),
      section("advance", "advance", "corrections after quantization"),
      section("model_wise", "op", "restrictions for all ops"),
      named("op_wise", "op", "restrictions for single ops, by node name or regular expression"),
  };
  all["calibration"] = {sampling_size(), section("dataloader", "dataloader", "the calibration data")};
  all["recipes"] = recipe_keys(recipes);
  all["advance"] = {};
  for (const RecipeDeclaration& recipe : recipes)
    if (recipe.key.advance) all["advance"].push_back({.value = *recipe.key.advance});
  all["op"] = {section("weight", "weight", "restricts weights"),
               section("activation", "activation", "restricts activations")};
  const std::vector<Key> tensor = {
      some_of("granularity", {"per_channel", "per_tensor"}, "one scale per channel, or one per tensor"),
      some_of("scheme", {"sym", "asym"}, "symmetric range around zero, or asymmetric range with a zero point"),
      some_of(
          "dtype", {"int8", "uint8", "fp32", "bf16"},
          "allowed element types; fp32 and bf16 leave the op unquantized. bf16 means fp32 on CPUs without bf16 units"),
  };
  all["weight"] = tensor;
  all["weight"].push_back(some_of("algorithm", {"minmax", "mse"}, "allowed range estimators"));
  all["weight"].push_back(number("bit", "", {2, 8}, "number of bits; fewer bits use a smaller range of integers"));
  all["activation"] = tensor;
  all["activation"].push_back(some_of("algorithm", {"minmax", "kl", "percentile", "mse"}, "allowed range estimators"));
}

void add_tuning(Sections& all) {
  all["tuning"] = {
      named("strategy", "", "search strategy: its name (default: basic) and its parameters"),
      section("accuracy_criterion", "accuracy_criterion", "the allowed accuracy loss"),
      choice("objective", "performance", {"performance", "modelsize", "footprint"},
             "what to optimize among the models that meet the accuracy criterion"),
      section("exit_policy", "exit_policy", "when to stop"),
      whole("random_seed", "1978", {0, kNoLimit}, "seed of all random choices"),
      flag("tensorboard", "false", "write histograms of each trial's tensors for TensorBoard into the workspace"),
      section("workspace", "workspace", "where the history and deploy.yaml are stored"),
  };
  all["accuracy_criterion"] = {
      with_hint(number("relative", "", {0, 1, true},
                       "allowed accuracy loss, as a fraction of the fp32 accuracy (default: 0.01)"),
                " (must be below 1; for one percent write 0.01 or 1%)"),
      number("absolute", "", {0, kNoLimit}, "allowed accuracy loss, in the units of the metric; replaces relative"),
      flag("higher_is_better", "true", "set to false for metrics that measure an error"),
  };
  all["exit_policy"] = {
      number("timeout", "0", {0, kNoLimit},
             "time limit in seconds; 0: stop at the first trial that meets the accuracy criterion"),
      whole("max_trials", "100", {1, kNoLimit}, "maximum number of trials"),
      flag("performance_only", "false", "ignore accuracy"),
  };
  all["workspace"] = {path("path", "workspace folder (default: ./lpot_workspace/<name>-<framework>)"),
                      path("resume", "history of an earlier run to resume")};
}

void add_evaluation(Sections& all) {
  all["evaluation"] = {section("accuracy", "accuracy", "how accuracy is measured"),
                       section("performance", "performance", "how speed is measured")};
  all["accuracy"] = {
      named("metric", "", "name of the metric and its parameters"),
      section("dataloader", "dataloader", "the evaluation data"),
      section("postprocess", "postprocess", "transforms applied to the outputs before the metric"),
      whole("iteration", "-1", {-1, kNoLimit}, "number of batches to evaluate; -1: all"),
      section("configs", "configs", "cores and threads"),
      text("command",
           "command that evaluates the model file {model} in {precision} and prints the accuracy; replaces metric"),
      number("confidence", "", {0, 1, true},
             "stop an evaluation early when it is this certain that the criterion is missed, for example 0.999"),
  };
  all["performance"] = {
      whole("warmup", "5", {0, kMillion}, "number of batches to run before timing starts"),
      whole("iteration", "-1", {-1, kNoLimit},
            "number of batches to time; -1: as many as fit into the time set by lpot bench --seconds"),
      section("dataloader", "dataloader", "the data to run"),
      section("configs", "configs", "cores and threads"),
  };
  all["postprocess"] = {named("transform", "", "postprocessing transforms, applied in the written order")};
  all["configs"] = {
      whole("cores_per_instance", "", {1, kMillion}, "number of cores that each instance is bound to"),
      whole("num_of_instance", "", {1, kMillion}, "number of instances that run at the same time"),
      whole("inter_num_of_threads", "", {1, kMillion}, "number of ops that run at the same time"),
      whole("intra_num_of_threads", "", {1, kMillion}, "number of threads per op"),
      whole("kmp_blocktime", "", {0, kMillion}, "milliseconds that a thread waits before it sleeps"),
  };
}

void add_dataloader(Sections& all) {
  all["dataloader"] = {
      whole("batch_size", "1", {1, kNoLimit}, "number of samples per batch"),
      choice("last_batch", "rollover", {"rollover", "discard"}, "keep a short last batch, or drop it"),
      flag("shuffle", "false", "read samples in random order; with sequence_length, sequences in random order"),
      sequence_length(),
      subset(),
      choice("on_error", "fail", {"fail", "skip"},
             "what to do with samples that cannot be read; fail: end with an error; skip: read all samples once at the "
             "start, and leave these out with a warning"),
      section("filter", "filter", "selects the samples to use"),
      named("dataset", "", "name of the data set and its parameters"),
      named("transform", "", "transforms, applied in the written order"),
  };
  all["filter"] = {section("LabelBalance", "LabelBalance", "use only samples with this number of objects")};
  all["LabelBalance"] = {required(whole("size", "", {1, kNoLimit}, "number of objects that a sample must have"))};
}

Sections build_sections(const RecipeDeclarations& recipes) {
  Sections all;
  add_model(all);
  add_quantization(all, recipes);
  add_tuning(all);
  add_evaluation(all);
  add_dataloader(all);
  return all;
}

std::string in_limits(const Limits& limits) {
  const bool has_low = std::isfinite(limits.low), has_high = std::isfinite(limits.high);
  if (has_low && has_high) return fmt::format(" in {}..{}", limits.low, limits.high);
  if (has_low) return fmt::format(" >= {}", limits.low);
  return has_high ? fmt::format(" <= {}", limits.high) : "";
}

std::string summary_of(const Key& key) {
  if (key.aliases.empty()) return key.value.summary;
  return fmt::format("{} (older name: {})", key.value.summary, fmt::join(key.aliases, ", "));
}

void list_keys(const KeyTable& table, const std::string& prefix, std::string_view of, std::vector<KeyInfo>& listed) {
  for (const Key& entry : table.of(of)) {
    const std::string full = prefix + entry.value.name;
    if (entry.shape != KeyShape::Section)
      listed.push_back({full, expected(entry), entry.value.default_value, summary_of(entry)});
    if (!entry.section.empty())
      list_keys(table, full + (entry.shape == KeyShape::Named ? ".*." : "."), entry.section, listed);
  }
}

void list_aliases(const KeyTable& table, const std::string& prefix, std::string_view of,
                  std::vector<KeyMapping>& moves) {
  for (const Key& entry : table.of(of)) {
    for (const std::string& alias : entry.aliases) moves.push_back({prefix + alias, prefix + entry.value.name});
    if (entry.shape == KeyShape::Section) list_aliases(table, prefix + entry.value.name + ".", entry.section, moves);
  }
}

}  // namespace

KeyTable::KeyTable(const RecipeDeclarations& recipes) : sections_(build_sections(recipes)) {}

std::vector<KeyMapping> KeyTable::aliases() const {
  std::vector<KeyMapping> moves;
  list_aliases(*this, "", "", moves);
  return moves;
}

std::vector<KeyInfo> KeyTable::listed() const {
  std::vector<KeyInfo> keys;
  list_keys(*this, "", "", keys);
  return keys;
}

std::string expected(const Key& key) {
  if (key.shape != KeyShape::Value) return "a map";
  const auto& choices = key.value.choices;
  const bool is_list = key.value.kind == ValueKind::TextList;
  if (choices.size() == 1) return choices.front();
  if (!choices.empty()) return fmt::format("{} of {}", is_list ? "one or more" : "one", fmt::join(choices, ", "));
  const std::string limits = in_limits(key.limits);
  const bool of_lists = key.value.kind == ValueKind::IntegerList || key.value.kind == ValueKind::NumberList;
  return fmt::format("{}{}{}", to_string(key.value.kind), of_lists && !limits.empty() ? ", each" : "", limits);
}

}  // namespace yaml

std::vector<KeyInfo> config_keys(const RecipeDeclarations& recipes) { return yaml::KeyTable(recipes).listed(); }

}  // namespace lpot
