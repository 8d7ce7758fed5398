// Written ONNX models in ONNX Runtime, against the OpenVINO models with the same edits. ONNX Runtime runs in the Python
// of .venv (scripts/setup.sh --test), or in the one that LPOT_TEST_PYTHON names.
#include <cmath>
#include <cstdlib>
#include <random>

#include "lpot/calibrate/observe.h"
#include "lpot/model/load.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/onnx.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/runtime/executable.h"
#include "lpot/tune/setup.h"
#include "tests/cli/support.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

double root_mean_square(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::pow(static_cast<double>(a[i]) - b.at(i), 2);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

// The share of samples whose largest of `classes` outputs is the label's.
double accuracy(const std::vector<float>& outputs, const std::vector<std::int64_t>& labels, std::ptrdiff_t classes) {
  double right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = outputs.begin() + static_cast<std::ptrdiff_t>(i) * classes;
    right += std::max_element(row, row + classes) - row == labels[i];
  }
  return right / static_cast<double>(labels.size());
}

struct NamedInput {
  std::string name;
  std::string bytes;  // of an .npy file
};

class InOnnxRuntime : public CliTest {
 protected:
  std::string data(const std::string& name) const {
    const char* folder = std::getenv("LPOT_TEST_DATA");
    if (!folder || !*folder) throw std::runtime_error("set LPOT_TEST_DATA to the folder with the data and models");
    const auto path = std::filesystem::absolute(folder) / name;
    if (!std::filesystem::exists(path)) throw std::runtime_error(path.string() + " is missing");
    return path.lexically_normal().string();
  }

  // The first output.
  std::vector<float> run(const std::filesystem::path& model, const std::vector<NamedInput>& inputs) const {
    const char* python = std::getenv("LPOT_TEST_PYTHON");
    const auto output = folder_ / "output.bin";
    std::vector<std::string> words{python && *python ? python : LPOT_SOURCE_DIR "/.venv/bin/python",
                                   LPOT_SOURCE_DIR "/tests/real/run_onnx.py", model.string(), output.string()};
    for (const NamedInput& input : inputs) {
      write_bytes(folder_ / (input.name + ".npy"), input.bytes);
      words.push_back(input.name + "=" + (folder_ / (input.name + ".npy")).string());
    }
    const Outcome outcome = Running(words, folder_.path(), 0).wait();
    if (outcome.code != 0) throw std::runtime_error("ONNX Runtime: " + outcome.err);
    const std::string bytes = read_bytes(output);
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  // Every op in int8, as OpenVINO's model and as an ONNX file.
  Model write_int8(const Model& model, const DataLoader& calibration, const Recipes& recipes) const {
    const auto ops = quantizable_ops(model);
    const Statistics statistics = observe(model, observation_points(ops), calibration, {}).snapshots.back();
    Plan plan;
    const bool half_range = detect_cpu().needs_half_range();
    for (const QuantizableOp& op : ops)
      plan.ops[op.name] = {
          Precision::Int8,
          {.symmetry = Symmetry::Asymmetric},
          {.granularity = Granularity::PerChannel, .symmetry = Symmetry::Symmetric, .bits = half_range ? 7 : 8}};
    plan.recipes = recipes;
    const Edits edits = resolve(model, plan, statistics);
    export_onnx(model, edits, int8_);
    return apply(model, edits);
  }

  void expect_quarter(const std::string& source) const {
    const auto before = static_cast<double>(std::filesystem::file_size(source));
    const auto after = static_cast<double>(std::filesystem::file_size(int8_));
    RecordProperty("bytes", std::to_string(after) + " of " + std::to_string(before));
    EXPECT_LT(after, 0.3 * before);
  }

  const std::filesystem::path int8_ = folder_ / "model.onnx";
};

TEST_F(InOnnxRuntime, Resnet20IsAsAccurateAsInOpenVino) {
  constexpr std::size_t kImages = 2000;
  const std::string transform =
      "transform: {ToTensor: {}, Normalize: {mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}";
  const auto loader = [&](const std::string& train) {
    const Config config = load_config_text(
        "model: {name: net}\nevaluation: {accuracy: {metric: {topk: 1}, dataloader: "
        "{batch_size: 100, dataset: {CIFAR10: {train: " +
            train + ", root: '" + data("cifar10") + "'}}, " + transform + "}}}\n",
        "conf.yaml", component_tables());
    return evaluation_loader(config);
  };
  const std::string source = data("resnet-cifar10-onnx/resnet20-cifar10.onnx");
  const Model model = load_model(source);
  const Model int8 = write_int8(model, loader("true"), {});

  std::vector<float> images, in_openvino, in_fp32;
  std::vector<std::int64_t> labels;
  Executable run_int8(int8, {.input_shapes = {{100, 3, 32, 32}}}),
      run_fp32(model, {.input_shapes = {{100, 3, 32, 32}}});
  const auto append = [](std::vector<float>& all, const Tensor& part) {
    all.insert(all.end(), part.data<float>(), part.data<float>() + part.size());
  };
  LoaderOptions options = loader("false").options();
  options.limit = kImages;
  auto batches = loader("false").with(options).read();
  while (const auto batch = batches.next()) {
    append(images, batch->inputs.at(0));
    append(in_openvino, run_int8.infer(batch->inputs).at(0));
    append(in_fp32, run_fp32.infer(batch->inputs).at(0));
    for (const Tensor& label : batch->labels) labels.push_back(static_cast<std::int64_t>(label.value_at(0)));
  }
  ASSERT_EQ(labels.size(), kImages);

  const auto found = run(int8_, {{"input", npy_bytes("<f4", "(2000, 3, 32, 32)", images)}});
  ASSERT_EQ(found.size(), in_openvino.size());
  const double noise = root_mean_square(in_openvino, in_fp32), difference = root_mean_square(found, in_openvino);
  RecordProperty("accuracy", std::to_string(accuracy(in_fp32, labels, 10)) + " fp32, " +
                                 std::to_string(accuracy(in_openvino, labels, 10)) + " OpenVINO, " +
                                 std::to_string(accuracy(found, labels, 10)) + " ONNX Runtime");
  RecordProperty("difference", std::to_string(difference) + ", noise " + std::to_string(noise));
  EXPECT_NEAR(accuracy(found, labels, 10), accuracy(in_openvino, labels, 10), 0.003);
  EXPECT_LT(difference, noise);
  expect_quarter(source);
}

// Two sentences of made-up words each: what the tokenizer gives, filled up with zeros.
std::vector<Sample> sentence_pairs(std::size_t count, const Model& model) {
  constexpr std::size_t kLength = 64;
  std::mt19937 random(7);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t middle = 8 + random() % 20, end = middle + 8 + random() % 20;
    std::map<std::string, std::vector<std::int64_t>> values;
    for (std::size_t place = 0; place < kLength; ++place) {
      const std::int64_t word = place == 0 ? 101 : place == middle || place == end ? 102 : 1000 + random() % 20000;
      values["input_ids"].push_back(place <= end ? word : 0);
      values["attention_mask"].push_back(place <= end);
      values["token_type_ids"].push_back(place > middle && place <= end);
    }
    Sample sample;
    for (const Port& port : model_inputs(model))
      sample.inputs.push_back(Tensor::from<std::int64_t>({kLength}, values.at(port.name)));
    samples.push_back(std::move(sample));
  }
  return samples;
}

Recipes recipes_of(const std::vector<std::string>& names) {
  Recipes recipes;
  for (const std::string& name : names) recipes.set(name, true);
  return recipes;
}

class MiniLmInOnnxRuntime : public InOnnxRuntime {
 protected:
  void expect_agreement(const Recipes& recipes) {
    const std::string source = data("minilm-mrpc-onnx/minilm_mrpc.onnx");
    const Model model = load_model(source);
    const std::vector<Sample> samples = sentence_pairs(100, model);
    const Model int8 = write_int8(model, loader_of(samples, 10), recipes);

    const auto batch = *loader_of(samples, samples.size()).read().next();
    std::vector<NamedInput> inputs;
    for (std::size_t i = 0; i < batch.inputs.size(); ++i) {
      const auto* first = batch.inputs[i].data<std::int64_t>();
      const std::vector<std::int64_t> values(first, first + batch.inputs[i].size());
      inputs.push_back({model_inputs(model).at(i).name, npy_bytes("<i8", "(100, 64)", values)});
    }
    const auto outputs = [&](const Model& of) {
      const Tensor tensor =
          Executable(of, {.input_shapes = {{100, 64}, {100, 64}, {100, 64}}}).infer(batch.inputs).at(0);
      return std::vector<float>(tensor.data<float>(), tensor.data<float>() + tensor.size());
    };
    const auto found = run(int8_, inputs), in_openvino = outputs(int8), in_fp32 = outputs(model);
    ASSERT_EQ(found.size(), in_openvino.size());
    const double noise = root_mean_square(in_openvino, in_fp32), difference = root_mean_square(found, in_openvino);
    RecordProperty("difference", std::to_string(difference) + ", noise " + std::to_string(noise));
    EXPECT_LT(difference, noise);
    expect_quarter(source);
  }
};

TEST_F(MiniLmInOnnxRuntime, AgreesWithOpenVino) { expect_agreement(recipes_of({"int8_tables"})); }

TEST_F(MiniLmInOnnxRuntime, AgreesWithOpenVinoAfterSmoothQuantAndCorrections) {
  expect_agreement(recipes_of({"smooth_quant", "bias_correction", "weight_correction", "int8_tables"}));
}

}  // namespace
}  // namespace lpot
