#include "lpot/report/result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lpot/core/json.h"
#include "lpot/model/load.h"
#include "lpot/plan/plan_description.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/quantize/weights_only.h"
#include "lpot/report/faster_trial.h"
#include "lpot/report/output_formats.h"
#include "lpot/report/ranked.h"
#include "lpot/report/study_view.h"
#include "lpot/report/table.h"
#include "lpot/runtime/precision.h"

namespace lpot {
namespace {

double baseline_latency(const TuneResult& result) {
  return result.best ? fp32_latency_ms(*result.best->result) : result.baseline.latency_ms;
}

OrderedJson metrics_json(const Measurement& measured) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, value] : measured.metrics) json[name] = value;
  return json;
}

// Every trial with the time since the start, and the best trial so far.
OrderedJson history_json(const TuneResult& result) {
  OrderedJson history = OrderedJson::array();
  double seconds = result.times.before_trials;
  const Trial* best = nullptr;
  auto probe = result.probes.begin();
  for (const Trial& trial : result.trials) {
    for (; probe != result.probes.end() && probe->before_trial <= trial.number; ++probe) seconds += probe->seconds;
    seconds += trial.seconds;
    OrderedJson point{{"trial", trial.number},
                      {"seconds", seconds},
                      {"fp32_ops", trial.plan.fallback().size()},
                      {"ranges", describe_ranges(trial.plan)},
                      {"recipes", describe_recipes(trial.plan.recipes, recipe_declarations())}};
    if (trial.result) {
      const Measurement& measured = *trial.result;
      point.update({{"accuracy", measured.accuracy},
                    {"complete", measured.complete},
                    {"latency_ms", measured.latency_ms},
                    {"speedup", measured.speedup},
                    {"speedup_low", measured.speedup_low},
                    {"speedup_high", measured.speedup_high},
                    {"samples", measured.samples},
                    {"meets_goal", result.goal.met(measured.accuracy)}});
      if (!best || is_better(trial, *best, result.goal, result.objective)) best = &trial;
    } else {
      point["error"] = trial.error;
    }
    if (best) point["best_so_far"] = best->number;
    history.push_back(std::move(point));
  }
  return history;
}

OrderedJson best_json(const TuneResult& result) {
  if (!result.best) return nullptr;
  const Measurement& best = *result.best->result;
  const Plan& plan = result.best->plan;
  OrderedJson json{{"accuracy", best.accuracy},
                   {"latency_ms", best.latency_ms},
                   {"size_bytes", result.model_bytes},
                   {"speedup", best.speedup},
                   {"speedup_low", best.speedup_low},
                   {"speedup_high", best.speedup_high},
                   {"speedup_vs_default", best.speedup_vs_default},
                   {"cores", best.cores},
                   {"trial", result.best->number},
                   {"fallback", plan.fallback()},
                   {"ranges", describe_ranges(plan)},
                   {"recipes", describe_recipes(plan.recipes, recipe_declarations())},
                   {"metrics", metrics_json(best)}};
  if (is_weights_only(plan)) json["activations"] = describe_activations(plan, result.cpu);
  return json;
}

std::vector<RankedCandidate> ranked_in(const TuneResult& result) {
  return ranked_candidates(result.probes, result.trials, result.goal);
}

std::optional<FasterTrial> faster_trial(const TuneResult& result) {
  if (!result.best) return std::nullopt;
  return find_faster_trial(result.trials, *result.best, result.goal, result.objective);
}

// The text after a label, in lines of at most kTerminalColumns.
std::string wrapped(const std::string& label, const std::string& text) {
  std::string lines, line = label;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() + word.size() > kTerminalColumns) {
      lines += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      line = std::string(label.size(), ' ');
    }
    line += word + " ";
  }
  return lines + line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

// Whether a program must set this precision to get the outputs that lpot evaluated.
bool must_set(InferencePrecision precision) {
  return precision != InferencePrecision::F32 || default_precision() != InferencePrecision::F32;
}

// How the speed was measured, and the comparison with what a program without settings runs.
std::string speed_text(const Measurement& best) {
  std::string text =
      fmt::format("speed     against fp32 in the same run; both models ran alternately{}\n{}",
                  best.cores == 1 ? " on one core" : "",
                  best.speedup_high > 0 ? "          (in parentheses: 95% confidence interval of the median)\n" : "");
  if (best.speedup_vs_default > 0)
    text += fmt::format("          against {}, the runtime's default for the fp32 model: {} ({:.3f} ms)\n",
                        to_string(default_precision()), format_ratio(best.speedup_vs_default, "faster", "slower"),
                        best.latency_ms * best.speedup_vs_default);
  return text;
}

std::string best_text(const TuneResult& result) {
  const Plan& plan = result.best->plan;
  if (plan.int8_count() == 0 && !plan.ops.empty())
    return wrapped("best      ",
                   fmt::format("trial {}: the model without int8, in {}. No int8 model that meets the goal "
                               "is faster on this CPU.",
                               result.best->number, to_string(unquantized(plan.inference_precision))));
  const std::vector<std::string> fallback = plan.fallback();
  return fmt::format("best      trial {}: {}{}\n", result.best->number, describe_precisions(plan),
                     fallback.empty() ? "" : fmt::format(" ({})", format_names(fallback, "the report")));
}

// The goal, and how the search ended.
std::string search_text(const TuneResult& result) {
  std::string text = fmt::format("goal      {}: {}\n", result.goal.describe(), result.goal_met ? "met" : "NOT met");
  const std::string samples =
      result.evaluated_samples > 0 ? fmt::format(", {} samples evaluated", result.evaluated_samples) : "";
  text += fmt::format("trials    {}{} in {}; stopped because {}\n", result.trials.size(), samples,
                      format_seconds(result.seconds), to_string(result.reason));
  if (!result.probes.empty()) text += wrapped("probes    ", probes_text(result.probes));
  const char* label = "ranked    ";
  for (const std::string& line :
       ranked_lines(ranked_in(result), result.trials, result.best ? &*result.best : nullptr)) {
    text += fmt::format("{}{}\n", label, line);
    label = "          ";
  }
  if (result.reason == StopReason::Interrupted) text += "          To continue, run the same command with --resume.\n";
  return text;
}

std::string shape_text(const Port& port, const StaticShapes& shapes) {
  if (const Shape* shape = shapes.find(port.name)) return fmt::format("[{}]", fmt::join(*shape, ", "));
  std::vector<std::string> dimensions;
  for (const std::int64_t dimension : port.shape) dimensions.push_back(dimension < 0 ? "1" : std::to_string(dimension));
  return fmt::format("[{}]", fmt::join(dimensions, ", "));
}

std::string numpy_type(const std::string& element_type) {
  static const std::map<std::string, std::string> kNames{
      {"boolean", "np.bool_"}, {"i8", "np.int8"},     {"i16", "np.int16"},  {"i32", "np.int32"},
      {"i64", "np.int64"},     {"u8", "np.uint8"},    {"u16", "np.uint16"}, {"u32", "np.uint32"},
      {"u64", "np.uint64"},    {"f16", "np.float16"}, {"f64", "np.float64"}};
  const auto found = kNames.find(element_type);
  return found == kNames.end() ? "np.float32" : found->second;
}

}  // namespace

Spread spread_of(const Measurement& measured) { return {measured.speedup_low, measured.speedup_high}; }

double fp32_latency_ms(const Measurement& measured) { return measured.latency_ms * measured.speedup; }

nlohmann::ordered_json shapes_json(const StaticShapes& shapes) {
  OrderedJson json{{"inputs", OrderedJson::object()}, {"python", shapes.python_line()}, {"cpp", shapes.cpp_line()}};
  for (const auto& [name, shape] : shapes.inputs) json["inputs"][name] = shape;
  if (!shapes.lengths.empty()) json["lengths"] = shapes.lengths;
  return json;
}

std::string result_json(const TuneResult& result) {
  OrderedJson json;
  json["goal_met"] = result.goal_met;
  json["goal"] = result.goal.describe();
  json["baseline"] = {{"accuracy", result.baseline.accuracy},
                      {"latency_ms", baseline_latency(result)},
                      {"size_bytes", result.baseline.size_bytes},
                      {"metrics", metrics_json(result.baseline)}};
  json["best"] = best_json(result);
  if (const auto faster = faster_trial(result))
    json["faster_trial"] = {{"trial", faster->number}, {"text", faster->finding + " " + faster->advice}};
  json["trials"] = result.trials.size();
  json["seconds"] = result.seconds;
  json["probes"] = result.probes.size();
  json["evaluated_samples"] = result.evaluated_samples;
  json["time"] = {{"before_trials", result.times.before_trials},
                  {"baseline", result.times.baseline},
                  {"calibration", result.times.calibration},
                  {"forms", result.times.kernel_variants},
                  {"first_evaluation", result.times.first_evaluation},
                  {"evaluation_samples", result.evaluation_samples},
                  {"compiling", result.runtime.compiling},
                  {"inferring", result.runtime.inferring}};
  json["model"] = result.model.string();
  json["precision"] = to_string(result.precision);
  json.update(exports_json(result));
  if (!result.shapes.empty()) json["static_shapes"] = shapes_json(result.shapes);
  json["workspace"] = result.workspace.string();
  json["stopped_because"] = to_string(result.reason);
  json["cpu_class"] = result.cpu.cpu_class();
  json["history"] = history_json(result);
  json["ranked"] = ranked_json(ranked_in(result));
  json["front"] = front(result.trials, result.goal.higher_is_better);
  return dump_json(json, 2) + "\n";
}

std::string python_lines(const std::filesystem::path& model, const StaticShapes& shapes, InferencePrecision precision) {
  const std::string settings =
      must_set(precision) ? fmt::format(", {{\"INFERENCE_PRECISION_HINT\": \"{}\"}}", to_string(precision)) : "";
  std::vector<std::string> inputs;
  for (const Port& port : model_inputs(load_model(model)))
    inputs.push_back(fmt::format("np.zeros({}, {})", shape_text(port, shapes), numpy_type(port.element_type)));
  if (!shapes.empty())
    return fmt::format(
        "import numpy as np, openvino as ov\n"
        "core = ov.Core()\n"
        "model = core.read_model(\"{}\")\n"
        "{}\n"
        "compiled = core.compile_model(model, \"CPU\"{})\n"
        "inputs = [{}]\n"
        "outputs = compiled(inputs)\n"
        "print(outputs[0].shape)\n",
        model.string(), shapes.python_line(), settings, fmt::join(inputs, ", "));
  return fmt::format(
      "import numpy as np, openvino as ov\n"
      "model = ov.Core().compile_model(\"{}\", \"CPU\"{})\n"
      "inputs = [{}]\n"
      "outputs = model(inputs)\n"
      "print(outputs[0].shape)\n",
      model.string(), settings, fmt::join(inputs, ", "));
}

std::string cpp_lines(const std::filesystem::path& model, const StaticShapes& shapes, InferencePrecision precision) {
  std::string text = fmt::format(
      "ov::Core core;\n"
      "const auto model = core.read_model(\"{}\");\n",
      model.string());
  if (!shapes.empty()) text += shapes.cpp_line() + "\n";
  text += fmt::format(
      "auto request = core.compile_model(model, \"CPU\"{}).create_infer_request();\n",
      must_set(precision) ? fmt::format(", ov::hint::inference_precision(ov::element::{})", to_string(precision)) : "");
  std::size_t index = 0;
  for (const Port& port : model_inputs(load_model(model))) {
    const std::string shape = shape_text(port, shapes);
    text += fmt::format("request.set_input_tensor({}, ov::Tensor(ov::element::{}, {{{}}}));\n", index++,
                        port.element_type, shape.substr(1, shape.size() - 2));
  }
  return text +
         "request.infer();\n"
         "std::cout << request.get_output_tensor(0).get_shape() << \"\\n\";\n";
}

std::string onnx_runtime_lines(const std::filesystem::path& model, const StaticShapes& shapes) {
  std::vector<std::string> inputs;
  for (const Port& port : model_inputs(load_model(model)))
    inputs.push_back(
        fmt::format("\"{}\": np.zeros({}, {})", port.name, shape_text(port, shapes), numpy_type(port.element_type)));
  return fmt::format(
      "import numpy as np, onnxruntime as ort\n"
      "session = ort.InferenceSession(\"{}\")\n"
      "outputs = session.run(None, {{{}}})\n"
      "print(outputs[0].shape)\n",
      model.string(), fmt::join(inputs, ", "));
}

OrderedJson exports_json(const SavedModel& saved) {
  OrderedJson json = OrderedJson::object();
  for (const ExportedModel& other : saved.exports)
    json[other.format] = {{"path", other.path.string()}, {"size_bytes", other.bytes}};
  return json;
}

std::string run_lines(const SavedModel& saved) {
  std::string text = fmt::format(
      "Run it in OpenVINO (Python):\n\n{}\nRun it in OpenVINO (C++, #include <openvino/openvino.hpp>):\n\n{}",
      python_lines(saved.model, saved.shapes, saved.precision), cpp_lines(saved.model, saved.shapes, saved.precision));
  for (const ExportedModel& other : saved.exports) {
    const OutputFormat& format = output_format(other.format);
    const char* in_f32 = saved.precision == InferencePrecision::F32 ? "" : "; everything that is not int8 runs in f32";
    text += fmt::format("\nRun {} in {} (Python{}):\n\n{}", format.file, format.framework, in_f32,
                        format.run_lines(other.path, saved.shapes));
  }
  return text;
}

std::string shape_hint(const StaticShapes& shapes) {
  if (shapes.empty()) return "";
  std::vector<std::string> inputs;
  for (const auto& [name, shape] : shapes.inputs) inputs.push_back(fmt::format("{} [{}]", name, fmt::join(shape, ",")));
  const std::string lengths = shapes.lengths.empty() ? ""
                                                     : fmt::format("Texts have lengths {}: compile it once for each.\n",
                                                                   fmt::join(shapes.lengths, ", "));
  return fmt::format(
      "The model has dynamic input dimensions. It runs fastest when it is compiled for\n"
      "static shapes, for example: {}.\n{}In C++: {}\n",
      fmt::join(inputs, ", "), lengths, shapes.cpp_line());
}

std::string result_text(const TuneResult& result) {
  const bool has_best = result.best.has_value();
  const Measurement best = has_best ? *result.best->result : Measurement{};
  const auto cell = [&](const std::string& text) { return has_best ? text : std::string("-"); };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < result.baseline.metrics.size(); ++i)
    rows.push_back(
        {result.baseline.metrics[i].first, fmt::format("{:.4f}", result.baseline.metrics[i].second),
         cell(has_best ? fmt::format("{:.4f}", best.metrics[i].second) : ""),
         cell(fmt::format("{:+.4f}", has_best ? best.metrics[i].second - result.baseline.metrics[i].second : 0))});
  rows.push_back({"latency, batch 1", fmt::format("{:.3f} ms", baseline_latency(result)),
                  cell(fmt::format("{:.3f} ms", best.latency_ms)),
                  cell(format_faster_slower(best.speedup, spread_of(best)))});
  rows.push_back(
      {"size on disk", format_bytes(result.baseline.size_bytes), cell(format_bytes(result.model_bytes)),
       cell(format_ratio(
           has_best ? static_cast<double>(result.baseline.size_bytes) / static_cast<double>(result.model_bytes) : 0,
           "smaller", "larger"))});

  const std::string label = has_best ? model_label(result.best->plan) : "int8";
  std::string text = format_table({"", "fp32", label, ""}, rows) + "\n";
  if (has_best) text += speed_text(best);
  text += search_text(result);
  if (has_best) {
    text += best_text(result);
    if (result.best->plan.int8_count() > 0) text += wrapped("ranges    ", ranges_and_recipes(result.best->plan));
    if (is_weights_only(result.best->plan))
      text += fmt::format("          only weights are int8; activations {}\n",
                          describe_activations(result.best->plan, result.cpu));
    text += fmt::format("model     {}\n", result.model.string());
    for (const ExportedModel& other : result.exports)
      text += fmt::format("          {} ({})\n", other.path.string(), format_bytes(other.bytes));
    if (const auto faster = faster_trial(result)) text += wrapped("faster    ", faster->finding + " " + faster->advice);
    if (!result.goal_met)
      text +=
          wrapped("          ", fmt::format("This is the best model found, but it does not meet the goal. Try {} or a "
                                            "larger tuning.accuracy_criterion.",
                                            result.reason == StopReason::NoPlanLeft
                                                ? "another tuning.strategy"
                                                : "more trials (a larger tuning.exit_policy.max_trials, with "
                                                  "--resume)"));
    if (!result.shapes.empty()) text += "\n" + shape_hint(result.shapes);
    text += "\n" + run_lines(result);
  } else {
    text += "no trial succeeded:\n";
    for (const Trial& trial : result.trials) text += fmt::format("          trial {}: {}\n", trial.number, trial.error);
  }
  return text;
}

std::string trial_header() {
  return fmt::format("{:>5}  {:>8}  {:>7}  {:>18}  {:>8}  {:>8}", "trial", "accuracy", "ms", "speed-up", "not int8",
                     "time");
}

std::string trial_row(const Trial& trial, bool is_best, bool meets_goal) {
  if (!trial.result) return fmt::format("{:>5}  failed: {}", trial.number, trial.error);
  const Measurement& result = *trial.result;
  std::vector<std::string> remarks;
  if (!result.complete) remarks.push_back("estimate");  // the evaluation stopped early
  if (meets_goal) remarks.push_back("goal met");
  if (is_best) remarks.push_back("best");
  return fmt::format("{:>5}  {:>8.4f}  {:>7.3f}  {:>18}  {:>8}  {:>8}{}{}", trial.number, result.accuracy,
                     result.latency_ms, format_speedup(result.speedup, spread_of(result)), trial.plan.fallback().size(),
                     format_seconds(trial.seconds), remarks.empty() ? "" : "  ", fmt::join(remarks, ", "));
}

}  // namespace lpot
