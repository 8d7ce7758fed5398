#include <set>

#include "lpot/data/transform.h"
#include "support.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

void expect_well_formed(const Table& table) {
  std::set<std::string> names;
  for (const Entry& entry : table) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " occurs twice";
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    for (const Parameter& parameter : entry.parameters)
      EXPECT_FALSE(parameter.required && !parameter.default_value.empty()) << entry.name << "." << parameter.name;
  }
}

TEST(Tables, EveryEntryHasItsOwnNameAndASummary) {
  expect_well_formed(datasets());
  expect_well_formed(transforms());
}

TEST(Tables, ContainEveryNameOfLpot) {
  for (const char* name :
       {"CIFAR10", "CIFAR100", "MNIST", "FashionMNIST", "ImageFolder", "ImagenetRaw", "TFRecordDataset", "ImageRecord",
        "VOCRecord", "COCORecord", "COCORaw", "COCONpy", "bert", "GLUE", "dummy", "dummy_v2", "style_transfer", "npy"})
    EXPECT_NE(find(datasets(), name), nullptr) << name;
  for (const char* name : {"Resize",
                           "CenterCrop",
                           "RandomCrop",
                           "RandomResizedCrop",
                           "RandomHorizontalFlip",
                           "RandomVerticalFlip",
                           "CropResize",
                           "PaddedCenterCrop",
                           "ResizeWithRatio",
                           "CropToBoundingBox",
                           "ResizeCropImagenet",
                           "BilinearImagenet",
                           "ResizeWithAspectRatio",
                           "AlignImageChannel",
                           "Normalize",
                           "Rescale",
                           "Transpose",
                           "Cast",
                           "ToTensor",
                           "ToArray",
                           "ToNDArray",
                           "ToPILImage",
                           "QuantizedInput",
                           "ParseDecodeImagenet"})
    EXPECT_NE(find(transforms(), name), nullptr) << name;
}

TEST(Tables, SupportAllEntries) {
  for (const Table* table : {&datasets(), &transforms()})
    for (const Entry& entry : *table) EXPECT_EQ(entry.refused, "") << entry.name;
}

TEST(Tables, AnUnknownComponentGetsTheNearestName) {
  EXPECT_THAT(message_of<ConfigError>([] { make_dataset(component("cifar10")); }),
              HasSubstr("did you mean 'CIFAR10'?"));
  EXPECT_THAT(message_of<ConfigError>([] { make_transform(component("Normalise")); }),
              HasSubstr("did you mean 'Normalize'?"));
}

}  // namespace
}  // namespace lpot
