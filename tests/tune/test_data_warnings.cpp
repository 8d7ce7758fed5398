#include "lpot/tune/data_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lpot/tune/tune.h"
#include "tests/support/files.h"
#include "tests/support/memory_data.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// `count` samples of 10 classes; sorted: all of one class come one after the other.
std::vector<Sample> labelled(std::size_t count, bool sorted) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t label = sorted ? i * 10 / count : i % 10;
    samples.push_back({{Tensor::scalar(1.0f)}, Tensor::scalar(static_cast<std::int64_t>(label))});
  }
  return samples;
}

TEST(FewClasses, AreAWarningWhereTheListIsSortedByClass) {
  const auto warning = few_classes_warning(loader_of(labelled(1000, true)), 150);
  ASSERT_TRUE(warning);
  EXPECT_THAT(*warning, AllOf(HasSubstr("the 150 calibration samples cover few classes: 2 in 64 of them, but 10 in 64"),
                              HasSubstr("quantization.calibration.dataloader.shuffle: true")));
}

TEST(FewClasses, AreNoWarningWhereTheSamplesCoverTheClasses) {
  EXPECT_FALSE(few_classes_warning(loader_of(labelled(1000, false)), 150));
  EXPECT_FALSE(few_classes_warning(loader_of(labelled(1000, true)), 1000)) << "all samples are used";
  const DataLoader sorted = loader_of(labelled(1000, true));
  EXPECT_FALSE(few_classes_warning(sorted.with({.shuffle = true}), 150));
}

TEST(FewClasses, AreNotLookedForWhereLabelsAreNotIntegers) {
  EXPECT_FALSE(few_classes_warning(loader_of(unlabelled(std::vector<Tensor>(100, Tensor::scalar(1.0f)))), 10));
  std::vector<Sample> boxes = labelled(100, true);
  for (Sample& sample : boxes) sample.label = Tensor(ElementType::F32, {2, 7});
  EXPECT_FALSE(few_classes_warning(loader_of(boxes), 10));
}

TEST(SameData, AreAWarningWhereBothLoadersReadOneDataSet) {
  const std::string data = "{dataset: {FashionMNIST: {root: /usr/share/datasets/fashion-mnist, train: ";
  const std::string transform = "}}, transform: {ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}}";
  const TempFolder folder;
  const auto warnings_of = [&](const std::string& train) {
    folder.write("conf.yaml", "model: {name: net}\nquantization: {calibration: {dataloader: " + data + train +
                                  transform + "}}\nevaluation: {accuracy: {metric: {topk: 1}, dataloader: " + data +
                                  "false" + transform + "}}\n");
    std::vector<std::string> warnings;
    Observer observer;
    observer.on_log = [&](LogLevel level, std::string_view text) {
      if (level == LogLevel::Warning) warnings.emplace_back(text);
    };
    dry_run(load_config({(folder / "conf.yaml").string()}),
            {.model = LPOT_SOURCE_DIR "/examples/quickstart/fashion_cnn.onnx"}, observer);
    return warnings;
  };
  EXPECT_THAT(warnings_of("false"),
              testing::ElementsAre(HasSubstr("calibration and evaluation use the same data set")));
  EXPECT_THAT(warnings_of("true"), testing::IsEmpty());
}

}  // namespace
}  // namespace lpot
