#include "lpot/tune/auto_config/auto_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "lpot/core/error.h"
#include "lpot/core/process.h"
#include "lpot/model/load.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/tune.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kNet = LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx";

class AutoConfigs : public testing::Test {
 protected:
  // Images of Fashion-MNIST, for which the network was trained with mean 0.2860 and deviation 0.3530.
  void add_pictures(int count, const std::string& options = "") {
    const std::string script = LPOT_SOURCE_DIR "/tests/support/fashion_pictures.py";
    const std::string command = "python3 " + shell_quoted(script) + " " + shell_quoted(data().string()) + " " +
                                std::to_string(count) + " " + options;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  std::filesystem::path data() const { return folder_ / "pictures"; }
  AutoConfig configure(AutoConfigOptions options = {}) {
    if (options.data.empty()) options.data = data();
    return auto_config(load_model(kNet), options);
  }
  static Config config_of(const AutoConfig& found) {
    return load_config_text(found.text, "conf.yaml", component_tables());
  }
  TempFolder folder_;
};

TEST_F(AutoConfigs, FindsTheNormalizationOfPicturesInClassFolders) {
  add_pictures(200);
  const AutoConfig found = configure({.max_loss = 0.02});
  EXPECT_THAT(found.findings, AllOf(Contains(HasSubstr("200 images in 10 class folders")),
                                    Contains(HasSubstr("0 = 0_tshirt, 1 = 1_trouser")),
                                    Contains(HasSubstr("normalization  mean and deviation of these images"))))
      << found.text;
  const Config config = config_of(found);
  EXPECT_EQ(config.accuracy.metrics.at(0).name, "topk");
  EXPECT_EQ(config.tuning.criterion.tolerance, 0.02);
  EXPECT_EQ(config.quantization.calibration->subset->to, config.accuracy.loader->subset->from);
  const DryRun run = dry_run(config, {.model = kNet});
  EXPECT_EQ(run.calibration_size + run.evaluation_size, 200u);
}

TEST_F(AutoConfigs, ComparesWithFp32WithoutLabels) {
  add_pictures(100, "--flat");
  const AutoConfig found = configure();
  EXPECT_EQ(config_of(found).accuracy.metrics.at(0).name, "Agreement");
  EXPECT_THAT(found.findings, Contains(HasSubstr("normalization  mean and deviation of these images"))) << found.text;
  EXPECT_THAT(found.findings, Contains(HasSubstr("int8 and fp32 predict the same class")));
}

TEST_F(AutoConfigs, TellsThatLabelsDoNotFit) {
  add_pictures(150);
  // Rotates the order of the classes, so that no label is right.
  for (int digit = 0; digit < 10; ++digit)
    for (const auto& entry : std::filesystem::directory_iterator(data()))
      if (entry.path().filename().string().starts_with(std::to_string(digit) + "_")) {
        std::filesystem::rename(entry.path(), data() / ("class_" + std::to_string((digit + 3) % 10)));
        break;
      }
  const AutoConfig found = configure();
  EXPECT_THAT(found.warnings, Contains(AllOf(HasSubstr("the labels do not fit the model (10 classes)"),
                                             HasSubstr("Check the order of the classes"))));
  EXPECT_EQ(config_of(found).accuracy.metrics.at(0).name, "Agreement");
}

TEST_F(AutoConfigs, TellsThatTheModelHasOtherClasses) {
  add_pictures(40);
  std::filesystem::create_directories(data() / "more");
  const AutoConfig found = configure();
  EXPECT_THAT(found.warnings, Contains(HasSubstr("the data have 11 classes, but the model has 10 classes")));
  EXPECT_EQ(config_of(found).accuracy.metrics.at(0).name, "Agreement");
}

TEST_F(AutoConfigs, UsesTheGivenNormalization) {
  add_pictures(40);
  EXPECT_THAT(configure({.normalization = "-1..1"}).text, HasSubstr("Normalize: {mean: [0.5], std: [0.5]}"));
  EXPECT_THAT(message_of<ConfigError>([&] { configure({.normalization = "caffe"}); }),
              HasSubstr("the normalization 'caffe' does not exist for this model; expected one of 0..1, -1..1"));
}

TEST_F(AutoConfigs, DoesNotDivideAFewSamples) {
  add_pictures(5);
  const AutoConfig found = configure();
  EXPECT_THAT(found.warnings, Contains(HasSubstr("5 samples are too few to divide")));
  EXPECT_FALSE(config_of(found).accuracy.loader->subset);
}

TEST_F(AutoConfigs, RefusesDataThatDoNotFitTheModel) {
  folder_.write("pictures/dev.tsv", "sentence\tlabel\nfine\t1\nbad\t0\n");
  EXPECT_THAT(message_of<DataError>([&] { configure(); }),
              AllOf(HasSubstr("sentences of the GLUE task sst-2"), HasSubstr("expected token ids like i64 [?,?]")));
}

TEST_F(AutoConfigs, NamesAllNormalizationsOnce) {
  EXPECT_THAT(normalization_names(), AllOf(Contains("imagenet"), Contains("caffe"), Each(Not(IsEmpty()))));
}

// Pictures of Fashion-MNIST for networks that were not trained with them.
class PictureAutoConfigs : public testing::Test {
 protected:
  void SetUp() override {
    const std::string script = LPOT_SOURCE_DIR "/tests/support/fashion_pictures.py";
    const std::string command =
        "python3 " + shell_quoted(script) + " " + shell_quoted((folder_ / "all").string()) + " 100";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  void use_class(int digit) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "all"))
      if (entry.path().filename().string().starts_with(std::to_string(digit) + "_")) {
        std::filesystem::create_directories(folder_ / "used");
        std::filesystem::rename(entry.path(), folder_ / "used" / entry.path().filename());
        return;
      }
  }
  AutoConfig configure(const Model& model, const std::string& name) const {
    return auto_config(model, {.data = folder_ / name});
  }
  static Config config_of(const AutoConfig& found) {
    return load_config_text(found.text, "conf.yaml", component_tables());
  }
  static std::vector<std::string> transforms_of(const Config& config) {
    std::vector<std::string> names;
    for (const Component& transform : config.accuracy.loader->transforms) names.push_back(transform.name);
    return names;
  }
  TempFolder folder_;
};

// Sandals (5) are darker than coats (4).
TEST_F(PictureAutoConfigs, UseLabelsForOneScore) {
  use_class(4);
  use_class(5);
  const auto x = parameter({-1, 1, 28, 28}, "x");
  const auto axes = op::Constant::create(ov::element::i64, {2}, {2, 3});
  const auto mean = std::make_shared<op::ReduceMean>(x, axes, false);
  const auto shifted = std::make_shared<op::Subtract>(mean, constant({1, 1}, {0.25f}));
  const auto score = std::make_shared<op::Sigmoid>(std::make_shared<op::Multiply>(shifted, constant({1, 1}, {-40.0f})));
  const AutoConfig found = configure(as_model({score}, {x}), "used");
  EXPECT_EQ(config_of(found).accuracy.metrics.at(0).name, "Accuracy") << found.text;
  EXPECT_THAT(found.findings, Contains(HasSubstr("normalization  0..1; the fp32 model on")));
}

TEST_F(PictureAutoConfigs, DoNotCropForSegmentersAndDetectors) {
  const auto x = parameter({-1, 1, 64, 64}, "x");
  const Model segmenter = as_model({std::make_shared<op::Sigmoid>(conv3x3(x, 1, 1, "conv"))}, {x});
  EXPECT_THAT(transforms_of(config_of(configure(segmenter, "all"))),
              AllOf(Contains("Resize"), Not(Contains("CenterCrop"))));
  const auto mean = std::make_shared<op::ReduceMean>(x, op::Constant::create(ov::element::i64, {3}, {1, 2, 3}), true);
  const auto number = std::make_shared<op::Squeeze>(mean, op::Constant::create(ov::element::i64, {1}, {3}));
  const auto boxes = constant({1, 6, 336}, std::vector<float>(std::size_t{6} * 336, 0.1f));
  const Model detector = as_model({std::make_shared<op::Add>(number, boxes)}, {x});
  EXPECT_THAT(transforms_of(config_of(configure(detector, "all"))), Contains("LetterBox"));
}

// Networks with the scores of three classes for each part of a waveform of 400 samples.
class SoundAutoConfigs : public testing::Test {
 protected:
  static Model network(std::size_t parts) {
    const std::size_t length = 400 / parts;
    const auto x = parameter({-1, 400}, "x");
    const auto shape =
        op::Constant::create(ov::element::i64, {2}, {std::int64_t{-1}, static_cast<std::int64_t>(length)});
    return as_model({product(std::make_shared<op::Reshape>(x, shape, false), length, 3, "scores")}, {x});
  }

  // One channel with samples of 16 bits at 16000 Hz.
  static std::string header(int samples) {
    const auto number = [](std::uint32_t value) { return std::string(reinterpret_cast<const char*>(&value), 4); };
    const auto bytes = static_cast<std::uint32_t>(2 * samples);
    return "RIFF" + number(36 + bytes) + "WAVE" +
           std::string("fmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0", 24) + "data" + number(bytes);
  }

  // Each sound is longer than the one before by `growth`.
  void add_sounds(const std::string& folder, int count, int growth = 0) const {
    for (int number = 1; number <= count; ++number) {
      std::vector<std::int16_t> samples;
      for (int i = 0; i < 400 + growth * number; ++i)
        samples.push_back(static_cast<std::int16_t>(9000 * std::sin(0.02 * i * number)));
      const std::string data(reinterpret_cast<const char*>(samples.data()), 2 * samples.size());
      folder_.write("sounds/" + folder + "/" + std::to_string(number) + ".wav",
                    header(static_cast<int>(samples.size())) + data);
    }
  }

  AutoConfig configure(std::size_t parts) const { return auto_config(network(parts), {.data = folder_ / "sounds"}); }

  TempFolder folder_;
};

TEST_F(SoundAutoConfigs, CalibrateWithTheFolderTrainAndTheSameFeatures) {
  for (const char* name : {"train/no", "train/yes", "val/no", "val/yes"}) add_sounds(name, 3);
  const AutoConfig found = configure(1);
  const Config config = load_config_text(found.text, "conf.yaml", component_tables());
  const Component& calibration = config.quantization.calibration->dataset;
  const Component& evaluation = config.accuracy.loader->dataset;
  EXPECT_EQ(calibration.parameters.text("root"), (folder_ / "sounds/train").string()) << found.text;
  EXPECT_EQ(evaluation.parameters.text("root"), (folder_ / "sounds/val").string());
  EXPECT_EQ(calibration.parameters.integer("sample_rate"), evaluation.parameters.integer("sample_rate"));
  EXPECT_FALSE(config.accuracy.loader->subset);
}

TEST_F(SoundAutoConfigs, UseOneLengthForAModelOfAnyLength) {
  add_sounds("all", 21, 16);
  const auto x = parameter({-1, -1}, "x");
  const auto squares = std::make_shared<op::Multiply>(x, x);
  const auto energy = std::make_shared<op::ReduceMean>(squares, op::Constant::create(ov::element::i64, {1}, {1}), true);
  const Model model = as_model({product(energy, 1, 3, "scores")}, {x});
  const AutoConfig found = auto_config(model, {.data = folder_ / "sounds", .audio = "sample_rate: 16000"});
  const Config config = load_config_text(found.text, "conf.yaml", component_tables());
  EXPECT_EQ(config.accuracy.loader->dataset.parameters.integer("length"), 400 + 11 * 16) << found.text;
  EXPECT_THAT(found.findings, Contains(HasSubstr("cut or padded to 576 samples")));
}

TEST_F(SoundAutoConfigs, IgnoreLabelsIfAnOutputHasARowPerStep) {
  for (const char* name : {"no", "yes"}) add_sounds(name, 3);
  EXPECT_THAT(configure(4).warnings, AllOf(Contains(HasSubstr("the labels are not used, because the outputs")),
                                           Contains(HasSubstr("does not have one row per sample"))));
}

// Texts of different lengths for networks whose outputs have a row for each token.
class TextAutoConfigs : public testing::Test {
 protected:
  TextAutoConfigs() {
    folder_.write("texts/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nword\ntext\n");
    std::string texts, line;
    for (int i = 0; i < 60; ++i) texts += (line += i % 3 == 0 ? "word " : "text ") + "\n";
    folder_.write("texts/texts.txt", texts);
  }
  static std::shared_ptr<ov::Node> embedding(const std::shared_ptr<op::Parameter>& ids) {
    return std::make_shared<op::Gather>(random_constant({7, 8}, 1), ids,
                                        op::Constant::create(ov::element::i64, {}, {0}));
  }
  Config configure(const Model& model) const {
    const AutoConfig found = auto_config(model, {.data = folder_ / "texts"});
    EXPECT_THAT(found.text, AllOf(HasSubstr("dynamic_length: false"), HasSubstr("max_seq_length: 64,")))
        << "the longest text has 62 tokens";
    return load_config_text(found.text, "conf.yaml", component_tables());
  }
  TempFolder folder_;
};

TEST_F(TextAutoConfigs, PadToOneLengthForScoresOfTokens) {
  const auto ids = parameter({-1, -1}, "input_ids", ov::element::i64);
  const auto scores = product(embedding(ids), 8, 5, "scores");
  scores->output(0).set_names({"logits"});
  const Config config = configure(as_model({scores}, {ids}));
  EXPECT_EQ(config.accuracy.metrics.at(0).name, "PixelAgreement");
}

TEST_F(TextAutoConfigs, PadToOneLengthForPositionsOfAnAnswer) {
  const auto ids = parameter({-1, -1}, "input_ids", ov::element::i64);
  const auto scores = product(embedding(ids), 8, 1, "scores");
  const auto start = std::make_shared<op::Squeeze>(scores, op::Constant::create(ov::element::i64, {1}, {2}));
  start->output(0).set_names({"start_logits"});
  const Config config = configure(as_model({start}, {ids}));
  EXPECT_EQ(config.accuracy.metrics.at(0).name, "Agreement");
}

}  // namespace
}  // namespace lpot
