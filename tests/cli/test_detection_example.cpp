// examples/onnx/object_detection: the commands of its README, on the pictures that its script draws.
#include <nlohmann/json.hpp>

#include "tests/cli/blocks.h"
#include "tests/cli/support.h"

namespace lpot {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class DetectionExample : public CliTest {
 protected:
  DetectionExample() {
    fs::copy(LPOT_SOURCE_DIR "/examples/onnx/object_detection", folder_ / "", fs::copy_options::recursive);
  }

  Outcome shell(const std::string& text) const {
    const std::string path = "PATH=" + fs::path(LPOT_PROGRAM).parent_path().string() + ":$PATH; set -euo pipefail\n";
    return Running({"/bin/bash", "-c", path + text}, folder_ / "", 0).wait();
  }
};

TEST_F(DetectionExample, MeetsItsGoalWithoutLabels) {
  for (const Block& block : blocks_of(folder_ / "README.md")) {
    if (block.language != "sh") continue;
    const Outcome run = shell(block.text);
    ASSERT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_THAT(run.out + run.err, HasSubstr("yolov8: [count,4+classes,anchors]")) << "the detected head";
  }
  const Outcome run =
      lpot({"evaluate", "conf.yaml", "--model", "int8/model.xml", "--reference", "shapes_yolo.onnx", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_GE(nlohmann::json::parse(run.out).at("accuracy").get<double>(), 0.98);
}

TEST_F(DetectionExample, RefusesMetricsThatDoNotFit) {
  ASSERT_EQ(shell("python3 make_pictures.py pictures 20").code, 0);
  const Outcome classes =
      lpot({"tune", "conf.yaml", "--model", "shapes_yolo.onnx", "--quiet", "--set",
            "evaluation.accuracy.metric={Agreement: {}}", "--set", "evaluation.accuracy.dataloader.subset=[0, 1]"});
  expect_one_message(classes, {"[Agreement]", "7,189]", "BoxAgreement"});
  const Outcome number = lpot({"tune", "conf.yaml", "--model", "shapes_yolo.onnx", "--quiet", "--set",
                               "evaluation.accuracy.postprocess.transform.Boxes.classes=80"});
  expect_one_message(number, {"[Boxes]", "scores of 3 classes", "expected classes: 80"});
}

}  // namespace
}  // namespace lpot
