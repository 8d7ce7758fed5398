#include "lpot/config/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>

#include "lpot/config/recipe_keys.h"

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
  Key result =
      key(ValueKind::IntegerList, "sampling_size", "100", "samples to calibrate with; a list is tried in turn");
  result.limits = {1, kNoLimit};
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
      choice("device", "cpu", {"cpu", "gpu"}, "what the quantized model runs on"),
      section("quantization", "quantization", "how to quantize"),
      section("tuning", "tuning", "what to search for and when to stop"),
      section("evaluation", "evaluation", "how accuracy and speed are measured"),
  };
  all["model"] = {
      text("name", "names the workspace, the history and deploy.yaml; needed except in the iLiT dialect"),
      choice("framework", "auto",
             {"auto", "onnx", "onnxrt_integerops", "onnxrt_qlinearops", "tensorflow", "inteltensorflow",
              "tensorflow_itex", "tflite", "pytorch", "pytorch_fx", "pytorch_ipex", "openvino", "mxnet", "engine"},
             "the model's own framework; auto: told by its file"),
      texts("inputs", "tensors to cut the graph at; all inputs unless given"),
      texts("outputs", "tensors to cut the graph at; all outputs unless given"),
      named("input_shapes", "", "shape of each input by its name, -1 where it is dynamic"),
  };
}

Key recipe_key(const RecipeDeclaration& recipe) {
  return {.value = recipe.key, .limits = {recipe.low, recipe.high}, .aliases = recipe.aliases};
}

// The section's own keys and those of the recipes, by position.
std::vector<Key> recipe_keys(const RecipeDeclarations& recipes) {
  std::multimap<int, Key> by_position{
      {kFirstOpPosition, flag(kFirstOpKey, "true", "quantize also the first convolution or matrix product")},
      {kHalfRangePosition,
       flag(kHalfRangeKey, "", "weights use 7 bits; unless given, where sums of the CPU would lose more by overflow")},
      {kKernelVariantsPosition,
       with_alias(choice(kKernelVariantsKey, "measured", {"measured", "plain"},
                         "kernel variants of ops: timed on this machine, where ops slower in int8 stay fp32; or all as "
                         "they are"),
                  kKernelVariantsAlias)}};
  for (const RecipeDeclaration& recipe : recipes)
    if (!recipe.key.name.empty()) by_position.emplace(recipe.position, recipe_key(recipe));
  std::vector<Key> keys;
  for (auto& [position, entry] : by_position) keys.push_back(std::move(entry));
  return keys;
}

void add_quantization(Sections& all, const RecipeDeclarations& recipes) {
  all["quantization"] = {
      choice("approach", "post_training_static_quant",
             {"post_training_static_quant", "post_training_dynamic_quant", "quant_aware_training"},
             "static: ranges from calibration data; dynamic: int8 weights only, no data needed, a smaller file"),
      section("calibration", "calibration", "the data that ranges are found from"),
      section("recipes", "recipes", "treatments of the whole model"),
      section("advance", "advance", "corrections after quantization"),
      section("model_wise", "op", "what every op may use"),
      named("op_wise", "op", "what single ops may use, by node name or regular expression"),
  };
  all["calibration"] = {sampling_size(), section("dataloader", "dataloader", "the calibration data")};
  all["recipes"] = recipe_keys(recipes);
  all["advance"] = {};
  for (const RecipeDeclaration& recipe : recipes)
    if (recipe.advance) all["advance"].push_back({.value = *recipe.advance});
  all["op"] = {section("weight", "weight", "restricts weights"),
               section("activation", "activation", "restricts activations")};
  const std::vector<Key> tensor = {
      some_of("granularity", {"per_channel", "per_tensor"}, "one scale per channel or one for all"),
      some_of("scheme", {"sym", "asym"}, "range around zero, or with a zero point"),
      some_of("dtype", {"int8", "uint8", "fp32", "bf16"}, "element types; fp32 keeps the op unquantized"),
  };
  all["weight"] = tensor;
  all["weight"].push_back(some_of("algorithm", {"minmax", "mse"}, "how the range is found"));
  all["weight"].push_back(number("bit", "", {2, 8}, "fewer bits make a smaller range of integers"));
  all["activation"] = tensor;
  all["activation"].push_back(some_of("algorithm", {"minmax", "kl", "percentile", "mse"}, "how the range is found"));
}

void add_tuning(Sections& all) {
  all["tuning"] = {
      named("strategy", "", "how plans are searched: its name (basic) and its parameters"),
      section("accuracy_criterion", "accuracy_criterion", "the accuracy that may be lost"),
      choice("objective", "performance", {"performance", "modelsize", "footprint"},
             "what is best among the models that are accurate enough"),
      section("exit_policy", "exit_policy", "when to stop"),
      whole("random_seed", "1978", {0, kNoLimit}, "seed of every random choice"),
      flag("tensorboard", "false", "write histograms of each trial's tensors for TensorBoard into the workspace"),
      section("workspace", "workspace", "where history and deploy.yaml go"),
  };
  all["accuracy_criterion"] = {
      with_hint(number("relative", "", {0, 1, true}, "loss allowed as a part of the fp32 accuracy, 0.01 unless given"),
                " (below 1; one percent is 0.01 or 1%)"),
      number("absolute", "", {0, kNoLimit}, "loss allowed in the metric's own units; instead of relative"),
      flag("higher_is_better", "true", "false for metrics that measure an error"),
  };
  all["exit_policy"] = {
      number("timeout", "0", {0, kNoLimit}, "seconds; 0: stop at the first trial that meets the criterion"),
      whole("max_trials", "100", {1, kNoLimit}, "trials at most"),
      flag("performance_only", "false", "ignore accuracy"),
  };
  all["workspace"] = {path("path", "folder; ./lpot_workspace/<name>-<framework> unless given"),
                      path("resume", "history of an earlier run to go on from")};
}

void add_evaluation(Sections& all) {
  all["evaluation"] = {section("accuracy", "accuracy", "how accuracy is measured"),
                       section("performance", "performance", "what the benchmark runs")};
  all["accuracy"] = {
      named("metric", "", "one of the metrics and its parameters"),
      section("dataloader", "dataloader", "the evaluation data"),
      section("postprocess", "postprocess", "what happens to the outputs before the metric"),
      whole("iteration", "-1", {-1, kNoLimit}, "batches to evaluate, -1: all"),
      section("configs", "configs", "cores and threads"),
      text("command", "a program that gets {model} and prints the accuracy, instead of a metric"),
      number("confidence", "", {0, 1, true}, "end an evaluation early once its verdict is this sure"),
  };
  all["performance"] = {
      whole("warmup", "5", {0, kMillion}, "batches that are run before the clock starts"),
      whole("iteration", "-1", {-1, kNoLimit},
            "batches to time; -1: as many as fit into the time of lpot bench --seconds"),
      section("dataloader", "dataloader", "the data to time"),
      section("configs", "configs", "cores and threads"),
  };
  all["postprocess"] = {named("transform", "", "postprocessing transforms in written order")};
  all["configs"] = {
      whole("cores_per_instance", "", {1, kMillion}, "cores each instance is bound to"),
      whole("num_of_instance", "", {1, kMillion}, "instances that run at the same time"),
      whole("inter_num_of_threads", "", {1, kMillion}, "ops that run at the same time"),
      whole("intra_num_of_threads", "", {1, kMillion}, "threads within an op"),
      whole("kmp_blocktime", "", {0, kMillion}, "milliseconds that a thread waits before it sleeps"),
  };
}

void add_dataloader(Sections& all) {
  all["dataloader"] = {
      whole("batch_size", "1", {1, kNoLimit}, "samples in a batch"),
      choice("last_batch", "rollover", {"rollover", "discard"}, "keep a short last batch, or drop it"),
      flag("shuffle", "false", "read samples in random order"),
      section("filter", "filter", "which samples are used"),
      named("dataset", "", "one of the data sets and its parameters"),
      named("transform", "", "transforms in written order"),
  };
  all["filter"] = {section("LabelBalance", "LabelBalance", "only samples with so many objects")};
  all["LabelBalance"] = {required(whole("size", "", {1, kNoLimit}, "objects of a sample"))};
}

Sections make_sections(const RecipeDeclarations& recipes) {
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

void list_aliases(const KeyTable& table, const std::string& prefix, std::string_view of, std::vector<KeyMove>& moves) {
  for (const Key& entry : table.of(of)) {
    for (const std::string& alias : entry.aliases) moves.push_back({prefix + alias, prefix + entry.value.name});
    if (entry.shape == KeyShape::Section) list_aliases(table, prefix + entry.value.name + ".", entry.section, moves);
  }
}

}  // namespace

KeyTable::KeyTable(const RecipeDeclarations& recipes) : sections_(make_sections(recipes)) {}

std::vector<KeyMove> KeyTable::aliases() const {
  std::vector<KeyMove> moves;
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
