// Real models and data, below the folder LPOT_TEST_DATA. What is missing there is a failure, never a skip.
#include <cstdlib>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/runtime/executable.h"
#include "lpot/tune/setup.h"
#include "tests/cli/blocks.h"
#include "tests/cli/support.h"

namespace lpot {
namespace {

using testing::HasSubstr;

class RealData : public CliTest {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("LPOT_TEST_DATA");
    ASSERT_TRUE(folder && *folder) << "set LPOT_TEST_DATA to the folder with the data and models";
  }

  // The file or folder; fails the test when it is not there.
  std::string data(const std::string& name) const {
    const auto path = std::filesystem::absolute(std::getenv("LPOT_TEST_DATA")) / name;
    if (!std::filesystem::exists(path)) throw std::runtime_error(path.string() + " is missing");
    return path.lexically_normal().string();
  }

  static std::vector<std::string> int8_ops(const std::string& model) {
    std::vector<std::string> names;
    for (const ExecutedOp& op : Executable(load_model(model)).executed_ops())
      if (op.is_int8()) names.push_back(op.name);
    return names;
  }
};

std::vector<std::string> op_names(const Model& model) {
  std::vector<std::string> names;
  for (const OpInfo& op : list_ops(model)) names.push_back(op.name + " " + op.type);
  return names;
}

class Resnet20 : public RealData {
 protected:
  void SetUp() override {
    RealData::SetUp();
    if (HasFatalFailure()) return;
    const std::string transform =
        "transform: {ToTensor: {}, Normalize: {mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}";
    const std::string root = "root: '" + data("cifar10") + "'";
    write("conf.yaml",
          "model: {name: resnet20}\nquantization:\n  calibration:\n    sampling_size: 300\n"
          "    dataloader: {batch_size: 50, dataset: {CIFAR10: {train: true, " +
              root + "}}, " + transform +
              "}\nevaluation:\n  accuracy:\n    metric: {topk: 1}\n"
              "    dataloader: {batch_size: 100, dataset: {CIFAR10: {" +
              root + "}}, " + transform + "}\ntuning: {accuracy_criterion: {relative: 0.002}}\n");
    model_ = data("resnet-cifar10-onnx/resnet20-cifar10.onnx");
  }

  double speedup(const std::string& int8, const std::string& batch_size) const {
    const Outcome run = lpot({"bench", model_, int8, "--seconds", "4", "--batch-size", batch_size, "--json"});
    EXPECT_EQ(run.code, 0) << run.err;
    return run.json()["models"][1]["speedup"];
  }

  std::string model_;
};

TEST_F(Resnet20, Fp32AccuracyIsReproduced) {
  const Outcome run = lpot({"evaluate", "conf.yaml", "-m", model_, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.json()["samples"], 10000);
  EXPECT_DOUBLE_EQ(run.json()["accuracy"], 0.9173);
}

TEST_F(Resnet20, Int8IsWithinTwoPermilleRunsInt8KernelsAndIsFaster) {
  const Outcome run = lpot({"tune", "conf.yaml", "-m", model_, "--output", "int8", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json result = run.json();
  EXPECT_EQ(result["goal_met"], true);
  EXPECT_LE(result["trials"], 3);
  EXPECT_GE(result["best"]["accuracy"].get<double>(), 0.9173 * 0.998);
  EXPECT_LT(result["best"]["size_bytes"].get<double>(), 0.5 * result["baseline"]["size_bytes"].get<double>());

  const std::string int8 = (folder_ / "int8/model.xml").string();
  EXPECT_EQ(lpot({"evaluate", "conf.yaml", "-m", int8, "--json"}).json()["accuracy"], result["best"]["accuracy"]);
  EXPECT_GE(int8_ops(int8).size(), 20u) << "convolutions and the classifier";
  EXPECT_EQ(model_inputs(load_model(int8)).at(0).describe(), model_inputs(load_model(model_)).at(0).describe());
  EXPECT_GT(speedup(int8, "1"), 1.0);
  EXPECT_GT(speedup(int8, "32"), 1.0);
}

TEST_F(Resnet20, TheConfigurationOfTheReadmeMeetsItsGoal) {
  std::filesystem::create_directory_symlink(data("cifar10"), folder_ / "cifar10");
  write("readme.yaml", readme_blocks("yaml").at(0).text);
  const Outcome run = lpot({"tune", "readme.yaml", "-m", model_, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_DOUBLE_EQ(run.json()["baseline"]["accuracy"], 0.9173);
  EXPECT_EQ(run.json()["goal_met"], true);
}

TEST_F(Resnet20, TheScriptsOfTheExampleTuneAndMeasure) {
  const std::string folder = LPOT_SOURCE_DIR "/examples/onnx/image_classification/";
  const auto script = [&](const std::string& line) {
    const Outcome run = Running({"/bin/bash", "-c", "LPOT=" LPOT_PROGRAM " " + folder + line}, folder_ / "", 0).wait();
    EXPECT_EQ(run.code, 0) << line << "\n" << run.out << run.err;
    return run.out;
  };
  script("run_tuning.sh --input_model=" + model_ + " --dataset_location=" + data("cifar10") + " --output_model=int8");
  EXPECT_TRUE(exists("int8/model.xml"));
  EXPECT_THAT(script("run_benchmark.sh --mode=benchmark --batch_size=32"), HasSubstr("int8/model.xml"));
  EXPECT_THAT(script("run_benchmark.sh --mode=accuracy --batch_size=32 --input_model=" + model_ +
                     " --dataset_location=" + data("cifar10")),
              HasSubstr("0.9173"));
}

TEST_F(Resnet20, Int8WeightsAloneKeepTheAccuracyAndAreAThirdOfTheFile) {
  const Outcome run = lpot({"tune", "conf.yaml", "-m", model_, "--output", "int8", "--json", "--set",
                            "quantization.approach=post_training_dynamic_quant"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json result = run.json();
  EXPECT_EQ(result["trials"], 1);
  EXPECT_LT(result["best"]["size_bytes"].get<double>(), 0.36 * result["baseline"]["size_bytes"].get<double>());
  EXPECT_GT(speedup((folder_ / "int8/model.xml").string(), "32"), 0.7);
}

TEST_F(RealData, UniversalSentenceEncoderGetsInt8FromMadeUpData) {
  const std::string model = data("use-lite-frozen-pb/use_lite_frozen.pb");
  EXPECT_EQ(op_names(load_model(model)), op_names(load_model(model))) << "names change from load to load";
  for (const QuantizableOp& op : quantizable_ops(load_model(model)))
    EXPECT_THAT(op.name, testing::StartsWith("module_apply_default/")) << "not a name of the source graph";

  // Sentences of one token, since random positions of several would collide: (sentence 0, position 0), and its place in
  // the vocabulary. A sample is a whole input.
  write("conf.yaml",
        "model: {name: use, framework: tensorflow}\nquantization:\n  calibration:\n    sampling_size: 20\n"
        "    dataloader: {batch_size: 1, dataset: {dummy: {shape: ['20x1x2', '20x1'], low: [0, 1], high: [1, 8000], "
        "dtype: int64}}}\n");
  const Outcome run =
      lpot({"quantize", "conf.yaml", "-m", model, "-o", "int8", "--json", "--set", "quantization.recipes.forms=plain"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_GE(run.json()["int8_ops"], 10) << "and the scores of attention, with VNNI";

  const Model fp32 = load_model(model), int8 = load_model(folder_ / "int8/model.xml");
  std::vector<std::int64_t> places, tokens;  // one sentence of 16 tokens
  for (std::int64_t i = 0; i < 16; ++i) {
    places.insert(places.end(), {0, i});
    tokens.push_back(100 * i + 7);
  }
  const std::vector<Tensor> inputs{Tensor::from<std::int64_t>({16, 2}, places),
                                   Tensor::from<std::int64_t>({16}, tokens)};
  Executable run_fp32(fp32), run_int8(int8);
  const Tensor a = run_fp32.infer(inputs).at(0), b = run_int8.infer(inputs).at(0);
  ASSERT_EQ(a.shape(), (Shape{1, 512}));
  ASSERT_EQ(b.shape(), a.shape());
  double cosine = 0;  // both have length 1
  for (std::size_t i = 0; i < a.size(); ++i) cosine += static_cast<double>(a.data<float>()[i]) * b.data<float>()[i];
  EXPECT_GT(cosine, 0.9);
  EXPECT_FALSE(int8_ops((folder_ / "int8/model.xml").string()).empty());
}

TEST_F(RealData, MiniLmLoadsWithTheSameNamesEveryTime) {
  const std::string path = data("minilm-mrpc-onnx/minilm_mrpc.onnx");
  const Model model = load_model(path);
  EXPECT_EQ(op_names(model), op_names(load_model(path)));
  std::vector<std::string> inputs;
  for (const Port& port : model_inputs(model)) inputs.push_back(port.name + " " + port.element_type);
  EXPECT_THAT(inputs, testing::UnorderedElementsAre("input_ids i64", "attention_mask i64", "token_type_ids i64"));
  std::vector<std::string> quantizable;
  for (const QuantizableOp& op : quantizable_ops(model)) quantizable.push_back(op.name);
  EXPECT_THAT(quantizable,
              testing::IsSupersetOf({"/bert/encoder/layer.0/intermediate/dense/MatMul", "/classifier/Gemm"}));
}

TEST_F(RealData, AGraphWithAudioOpsIsRefusedByTheirNames) {
  for (const char* name : {"CNN_S.pb", "DNN_S.pb", "DS_CNN_S.pb", "DS_CNN_M.pb"})
    expect_one_message(lpot({"inspect", data(std::string("kws-frozen-pb/") + name), "-q"}),
                       {name, "AudioSpectrogram", "DecodeWav", "Mfcc"});
}

// The block of YAML behind the heading "Write Yaml config file".
std::string yaml_of_seed(const std::string& text) {
  const auto heading = text.find("Write Yaml config file");
  const auto fence = text.find("```", heading);
  const auto begin = text.find('\n', fence) + 1;
  return text.substr(begin, text.find("```", begin) - begin);
}

TEST_F(RealData, TheSeedsConfigsParseAsTheyStand) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data("../seeds"))) {
    const std::string text = yaml_of_seed(read_bytes(entry.path()));
    ASSERT_THAT(text, HasSubstr("accuracy_criterion")) << entry.path();
    try {
      const Config config = load_config_text(text, "seed.yaml", component_tables());
      EXPECT_TRUE(config.tuning.criterion.relative);
      EXPECT_DOUBLE_EQ(config.tuning.criterion.tolerance, 0.01) << entry.path();
    } catch (const Error& error) {
      ADD_FAILURE() << entry.path() << ": " << error.what() << "\n" << text;
    }
    ++count;
  }
  EXPECT_EQ(count, 3u);
}

}  // namespace
}  // namespace lpot
