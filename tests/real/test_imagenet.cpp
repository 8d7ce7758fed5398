// The two files of one plan, model.xml and model.onnx, on ImageNet: OpenVINO must predict the same classes with both.
// int8 MobileNetV2 is noisy. If biases or quantizer levels of the files differ in the last bits, only 91% of the
// classes agree.
#include <cstdlib>
#include <fstream>

#include "tests/cli/support.h"

namespace lpot {
namespace {

class ImageNetFiles : public CliTest, public testing::WithParamInterface<std::string> {
 protected:
  std::string data(const std::string& name) const {
    const char* folder = std::getenv("LPOT_TEST_DATA");
    if (!folder || !*folder) throw std::runtime_error("set LPOT_TEST_DATA to the folder with the data and models");
    const auto path = std::filesystem::absolute(folder) / name;
    if (!std::filesystem::exists(path)) throw std::runtime_error(path.string() + " is missing");
    return path.lexically_normal().string();
  }

  void unpack_images() const {
    const Outcome tar = Running({"/bin/tar", "xf", data("imagenet-2000/images-256.tar"), "-C", folder_.path().string()},
                                folder_ / "", 0)
                            .wait();
    ASSERT_EQ(tar.code, 0) << tar.err;
  }

  // Writes each fifth line of the list of images, from `first` on.
  void write_list(const std::string& name, std::size_t first) const {
    std::ifstream all(data("imagenet-2000/val.txt"));
    std::string list;
    std::size_t number = 0;
    for (std::string line; std::getline(all, line); ++number)
      if (number % 5 == first) list += line + "\n";
    write(name, list);
  }

  std::string dataloader(const std::string& list) const {
    return "dataloader: {batch_size: 20, dataset: {ImagenetRaw: {data_path: '" + (folder_ / "images").string() +
           "', image_list: '" + (folder_ / list).string() +
           "'}}, transform: {CenterCrop: {size: 224}, ToTensor: {}, "
           "Normalize: {mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}}\n";
  }
};

TEST_P(ImageNetFiles, PredictTheSameClassesInOpenVino) {
  unpack_images();
  write_list("calibration.txt", 0);
  write_list("evaluation.txt", 1);
  write("conf.yaml",
        "model: {name: net}\nquantization:\n  precision: f32\n  calibration:\n    sampling_size: 200\n    " +
            dataloader("calibration.txt") + "evaluation:\n  accuracy:\n    metric: {Agreement: {}}\n    " +
            dataloader("evaluation.txt"));
  const Outcome quantized =
      lpot({"quantize", "conf.yaml", "-m", data("imagenet-onnx/" + GetParam() + ".onnx"), "--output", "int8"});
  ASSERT_EQ(quantized.code, 0) << quantized.err;
  const Outcome compared = lpot({"evaluate", "conf.yaml", "-m", "int8/model.onnx", "--reference", "int8/model.xml",
                                 "--precision", "f32", "--json"});
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(compared.json()["samples"], 400);
  RecordProperty("agreement", compared.json()["accuracy"].dump());
  EXPECT_GT(compared.json()["accuracy"].get<double>(), 0.98);
}

INSTANTIATE_TEST_SUITE_P(Networks, ImageNetFiles, testing::Values("mobilenet_v2", "efficientnet_lite0"));

}  // namespace
}  // namespace lpot
