// The examples of text and speech, run with the commands of their READMEs.
#include "tests/cli/support.h"

namespace lpot {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ExamplesTest : public CliTest {
 protected:
  void copy_example(const std::string& name) const {
    fs::copy(LPOT_SOURCE_DIR "/examples/onnx/" + name, folder_ / "", fs::copy_options::recursive);
  }
  double metric(const std::string& model, const std::string& name) {
    const Outcome run = lpot({"evaluate", "conf.yaml", "--model", model, "--json"});
    EXPECT_EQ(run.code, 0) << run.err;
    return run.json().at("metrics").at(name);
  }
  void make_sounds() const {
    const Outcome run = Running({"/usr/bin/env", "python3", "make_sounds.py", "sounds"}, folder_ / "", 0).wait();
    ASSERT_EQ(run.code, 0) << run.err;
  }
};

TEST_F(ExamplesTest, TextRecognitionIsTunedByItsCharacterErrorRate) {
  copy_example("ocr");
  const double fp32 = metric("recognizer.onnx", "CER");
  EXPECT_LT(fp32, 0.1);
  const Outcome run = lpot({"tune", "conf.yaml", "--model", "recognizer.onnx", "--output", "int8"});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_LE(metric("int8/model.xml", "CER"), fp32 + 0.005 + 1e-9);
}

TEST_F(ExamplesTest, KeywordSpottingIsTunedOnSpokenWords) {
  copy_example("keyword_spotting");
  make_sounds();
  const double fp32 = metric("keywords.onnx", "topk 1");
  EXPECT_GT(fp32, 0.8);
  const Outcome run = lpot({"tune", "conf.yaml", "--model", "keywords.onnx", "--output", "int8"});
  ASSERT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_GE(metric("int8/model.xml", "topk 1"), fp32 - 0.01 - 1e-9);
}

TEST_F(ExamplesTest, AFolderOfSoundsNeedsNoConfiguration) {
  copy_example("keyword_spotting");
  make_sounds();
  const Outcome run = lpot({"init", "keywords.onnx", "--data", "sounds", "--audio", "hop_length: 320, n_fft: 512",
                            "--output", "found.yaml"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(read_bytes(folder_ / "found.yaml"),
              testing::AllOf(HasSubstr("216 sounds in 6 class folders"), HasSubstr("hop_length: 320"),
                             HasSubstr("scaling: per_sample"), HasSubstr("topk: 1")));
}

TEST_F(ExamplesTest, BadTextAndSoundDataAreNamed) {
  copy_example("ocr");
  write("short.txt", "a\nb\n");
  const Outcome list = lpot({"evaluate", "conf.yaml", "--model", "recognizer.onnx", "--set",
                             "evaluation.accuracy.postprocess.transform.CTC.character_file=short.txt"});
  EXPECT_NE(list.code, 0);
  EXPECT_THAT(list.err, HasSubstr("Use the character list of this model"));
  for (const char* name : {"a", "b"}) fs::create_directories(folder_ / (std::string("sounds/") + name));
  write("sounds/a/empty.wav", "");
  write("sounds/b/empty.wav", "");
  const Outcome sound = lpot({"init", LPOT_SOURCE_DIR "/examples/onnx/keyword_spotting/keywords.onnx", "--data",
                              "sounds", "--output", "found.yaml"});
  EXPECT_NE(sound.code, 0);
  EXPECT_THAT(sound.err, HasSubstr("empty.wav: the file is empty"));
}

}  // namespace
}  // namespace lpot
