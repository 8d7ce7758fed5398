#include <sys/resource.h>

#include <csignal>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "lpot/model/save.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Model small_model(unsigned seed = 1) {
  const auto x = parameter({-1, 3, 6, 6}, "image");
  const auto result = named(std::make_shared<op::Relu>(conv3x3(x, 3, 4, "first/conv", seed)), "relu");
  result->output(0).set_names({"answer"});
  return as_model({result}, {x});
}

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> names;
  for (const OpInfo& op : list_ops(model)) names.push_back(op.type + " " + op.name);
  return names;
}

TEST(SaveModel, KeepsNamesShapesAndBitsOfTheQuickstartNetwork) {
  TempFolder folder;
  const Model model = load_model(quickstart_model());
  const std::size_t bytes = save_model(model, folder / "model.xml");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"model.bin", "model.xml"}));
  EXPECT_EQ(bytes, std::filesystem::file_size(folder / "model.xml") + std::filesystem::file_size(folder / "model.bin"));

  const Model again = load_model(folder / "model.xml");
  EXPECT_EQ(names_of(again), names_of(model));
  EXPECT_EQ(again.size_bytes, bytes);
  EXPECT_EQ(model_inputs(again)[0].describe(), "image f32 [?,1,28,28]");
  EXPECT_EQ(model_outputs(again)[0].describe(), "logits f32 [?,10]");
  const Tensor images = random_tensor({2, 1, 28, 28}, 5, 0.0f, 1.0f);
  EXPECT_EQ(run_plainly(again.graph, {images}), run_plainly(model.graph, {images}));
}

TEST(SaveModel, StoresFloatsInFullPrecision) {
  TempFolder folder;
  save_model(small_model(), folder / "model.xml");
  EXPECT_EQ(std::filesystem::file_size(folder / "model.bin"), 4u * 3 * 3 * 3 * sizeof(float));
  for (const auto& node : load_model(folder / "model.xml").graph->get_ordered_ops())
    if (ov::is_type<op::Constant>(node)) {
      EXPECT_EQ(node->get_element_type(), ov::element::f32);
    }
}

TEST(SaveModel, RoundTripsAModelWithoutWeights) {
  TempFolder folder;
  const auto x = parameter({2, 3}, "x");
  save_model(as_model({named(std::make_shared<op::Relu>(x), "relu")}, {x}), folder / "model.xml");
  EXPECT_THAT(names_of(load_model(folder / "model.xml")), ElementsAre("Relu relu"));
}

TEST(SaveModel, CreatesMissingFolders) {
  TempFolder folder;
  save_model(small_model(), folder / "a/b/model.xml");
  EXPECT_EQ(list_ops(load_model(folder / "a/b/model.xml")).size(), 2u);
}

TEST(SaveModel, ReplacesExistingFiles) {
  TempFolder folder;
  save_model(small_model(1), folder / "model.xml");
  const std::string old_weights = read_bytes(folder / "model.bin");
  save_model(small_model(2), folder / "model.xml");
  EXPECT_NE(read_bytes(folder / "model.bin"), old_weights);
  EXPECT_EQ(folder.names().size(), 2u);
}

TEST(SaveModel, NamesAPathThatCannotBeWritten) {
  TempFolder folder;
  write_bytes(folder / "file", "in the way");
  const std::string message = message_of<StoreError>([&] { save_model(small_model(), folder / "file/model.xml"); });
  EXPECT_THAT(message, HasSubstr((folder / "file").string()));
  EXPECT_THAT(folder.names(), ElementsAre("file"));
}

// Simulates a full disk: during its lifetime, no file may grow beyond `limit` bytes.
class FullDisk {
 public:
  explicit FullDisk(rlim_t limit) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limits{limit, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limits);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

class SaveOnFullDisk : public ::testing::TestWithParam<rlim_t> {};

TEST_P(SaveOnFullDisk, KeepsTheExistingFilesAndNothingElse) {
  TempFolder folder;
  save_model(small_model(1), folder / "model.xml");
  const std::string old_xml = read_bytes(folder / "model.xml"), old_bin = read_bytes(folder / "model.bin");
  const auto x = parameter({-1, 64}, "x");
  const Model large = as_model({product(x, 64, 512, "large")}, {x});  // 128 KiB of weights, 2 KiB of xml
  std::string message;
  {
    const FullDisk disk(GetParam());
    message = message_of<StoreError>([&] { save_model(large, folder / "model.xml"); });
  }
  EXPECT_THAT(message, HasSubstr((folder / "model.xml").string() + ": cannot write the file"));
  EXPECT_THAT(folder.names(), ElementsAre("model.bin", "model.xml"));
  EXPECT_EQ(read_bytes(folder / "model.xml"), old_xml);
  EXPECT_EQ(read_bytes(folder / "model.bin"), old_bin);
}

// Nothing fits; a part of the xml fits; only the xml fits; all but the last bytes of the weights fit.
INSTANTIATE_TEST_SUITE_P(Bytes, SaveOnFullDisk, ::testing::Values(0, 1000, 8192, 64 * 512 * 4 - 3));

std::string load_error(const std::filesystem::path& path) {
  return message_of<ModelError>([&] { load_model(path); });
}

TEST(LoadIr, NamesMissingWeights) {
  TempFolder folder;
  save_model(small_model(), folder / "model.xml");
  std::filesystem::remove(folder / "model.bin");
  EXPECT_THAT(load_error(folder / "model.xml"), HasSubstr("model.bin are missing"));
}

TEST(LoadIr, RejectsTruncatedWeights) {
  TempFolder folder;
  save_model(small_model(), folder / "model.xml");
  for (const std::size_t size : {0, 4, 400}) {
    std::filesystem::resize_file(folder / "model.bin", size);
    EXPECT_THAT(load_error(folder / "model.xml"), HasSubstr("Check that the file is complete")) << size;
  }
}

TEST(LoadIr, RejectsTruncatedOrForeignXml) {
  TempFolder folder;
  save_model(small_model(), folder / "model.xml");
  const std::string whole = read_bytes(folder / "model.xml");
  for (const std::string& text : {whole.substr(0, whole.size() / 2), std::string("<html/>"), std::string("hello")}) {
    write_bytes(folder / "model.xml", text);
    EXPECT_THAT(load_error(folder / "model.xml"),
                ::testing::AnyOf(HasSubstr("OpenVINO cannot read the file as openvino"),
                                 HasSubstr("found a graph without outputs")));
  }
}

TEST(LoadIr, ConvertsHalfPrecisionWeightsToFloat) {
  TempFolder folder;
  ov::save_model(small_model().graph, (folder / "model.xml").string(), /*compress_to_fp16=*/true);
  const Model model = load_model(folder / "model.xml");
  EXPECT_THAT(names_of(model), ElementsAre("Convolution first/conv", "Relu relu"));
}

TEST(LoadIr, KeepsNamesOfTheFileThatLookGenerated) {
  TempFolder folder;
  const auto x = parameter({2, 3}, "x");
  std::vector<std::string> expected;
  ov::Output<ov::Node> last = x;
  // With 300 names, OpenVINO would generate some of them for the same nodes.
  for (int i = 0; i < 300; ++i) {
    expected.push_back("Relu_" + std::to_string(i));
    last = named(std::make_shared<op::Relu>(last), expected.back());
  }
  save_model(as_model({last}, {x}), folder / "model.xml");
  std::vector<std::string> found;
  for (const OpInfo& op : list_ops(load_model(folder / "model.xml"))) found.push_back(op.name);
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace lpot
