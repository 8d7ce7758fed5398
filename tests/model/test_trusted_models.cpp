// Which models skip the sandboxed load.
#include "lpot/model/trusted_models.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <openvino/openvino.hpp>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "lpot/model/sha256.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string openvino_build() { return ov::get_openvino_version().buildNumber; }

class TrustedModels : public testing::Test {
 protected:
  TrustedModels() { ::setenv("LPOT_MODEL_MEMORY", (folder_ / "cache/models.txt").c_str(), 1); }
  ~TrustedModels() override { ::setenv("LPOT_MODEL_MEMORY", "off", 1); }

  std::vector<std::string> keys() const {
    std::vector<std::string> lines;
    std::ifstream cache(folder_ / "cache/models.txt");
    for (std::string line; std::getline(cache, line);) lines.push_back(line);
    return lines;
  }

  // An IR model with its .xml and .bin.
  fs::path write_ir() const {
    const fs::path path = folder_ / "net.xml";
    ov::serialize(load_model(quickstart_model(), {.probe = false}).graph, path.string());
    return path;
  }

  TempFolder folder_;
};

TEST_F(TrustedModels, AreStoredOnceTheyWereLoaded) {
  load_model(quickstart_model());
  EXPECT_THAT(keys(), SizeIs(1));
  load_model(quickstart_model());
  EXPECT_THAT(keys(), SizeIs(1));
}

TEST_F(TrustedModels, ExcludeModelsThatDoNotLoad) {
  EXPECT_THROW(load_model(folder_.write("net.onnx", "\x0a\x01x")), ModelError);
  EXPECT_THAT(keys(), IsEmpty());
}

TEST_F(TrustedModels, AreStoredBySha256AndOpenVinoBuild) {
  load_model(quickstart_model());
  ASSERT_THAT(keys(), SizeIs(1));
  const std::string key = keys()[0];
  EXPECT_EQ(key.find_first_not_of("0123456789abcdef"), 64u) << key;
  EXPECT_EQ(key.substr(64), " " + openvino_build());
}

// The cache of lpot 0.1 held 64-bit fingerprints. A hostile model can be built to have any of them.
TEST_F(TrustedModels, AreNotFoundByA64BitFingerprint) {
  const Model model = load_model(quickstart_model(), {.probe = false});
  const std::string forged = fmt::format("{} {} {}", model.fingerprint, model.size_bytes, openvino_build());
  folder_.write("cache/models.txt", forged + "\n" + model.fingerprint + " " + openvino_build() + "\n");
  load_model(quickstart_model());
  EXPECT_THAT(keys(), SizeIs(3));  // it was checked, and stored with its own key
}

TEST_F(TrustedModels, ChangeTheirKeyWithOneByteOfAnyFile) {
  const fs::path xml = write_ir();
  const fs::path bin = folder_ / "net.bin";
  load_model(xml);
  ASSERT_THAT(keys(), SizeIs(1));
  std::string weights = read_bytes(bin);
  weights.back() ^= 1;
  write_bytes(bin, weights);
  load_model(xml);
  ASSERT_THAT(keys(), SizeIs(2));
  write_bytes(xml, read_bytes(xml) + "\n");
  load_model(xml);
  ASSERT_THAT(keys(), SizeIs(3));
  EXPECT_THAT(keys(), testing::Each(testing::SizeIs(64 + 1 + openvino_build().size())));
  load_model(xml);
  EXPECT_THAT(keys(), SizeIs(3));
}

TEST_F(TrustedModels, AreCheckedForEachCut) {
  const std::string input = model_inputs(load_model(quickstart_model())).at(0).name;
  load_model(quickstart_model(), {.inputs = {input}});
  EXPECT_THAT(keys(), SizeIs(2));
}

TEST(Sha256, EqualsTheDigestsOfTheStandard) {
  // FIPS 180-2, appendix B.
  EXPECT_EQ(Sha256().add("abc").hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256().add("abcdbcdecdefdefgefghfghighijhijk").add("ijkljklmklmnlmnomnopnopq").hex(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace lpot
