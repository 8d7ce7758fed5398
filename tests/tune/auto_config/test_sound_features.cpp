#include "lpot/tune/auto_config/sound_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lpot {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<SoundInput> inputs_of(std::vector<std::int64_t> shape) {
  return sound_inputs({{.name = "x", .element_type = "f32", .shape = std::move(shape)}});
}

std::vector<std::string> parameters_of(const SoundInput& input, double seconds, const std::string& given = "") {
  std::vector<std::string> all;
  for (const SoundFeatures& features : sound_features(input, seconds, given)) all.push_back(features.parameters);
  return all;
}

TEST(SoundFeatures, ShapesSayWhatTheInputIs) {
  EXPECT_THAT(inputs_of({-1, 16000}), ElementsAre(SoundInput{16000, 0, "T"}));
  EXPECT_THAT(inputs_of({-1, 1, -1}), ElementsAre(SoundInput{0, 0, "1T"}));
  EXPECT_THAT(inputs_of({-1, 1, 40, 51}), ElementsAre(SoundInput{51, 40, "1FT"}));
  EXPECT_THAT(inputs_of({-1, 98, 40, 1}), ElementsAre(SoundInput{98, 40, "TF1"}));
  EXPECT_THAT(inputs_of({-1, 80, 100}), ElementsAre(SoundInput{100, 80, "FT"}, SoundInput{80, 100, "TF"}));
  EXPECT_THAT(inputs_of({-1, 3, 224, 224}), IsEmpty());
  EXPECT_THAT(inputs_of({-1, 10}), IsEmpty());
}

TEST(SoundFeatures, TryTheUsualRatesOfWaveforms) {
  EXPECT_EQ(parameters_of({16000, 0, "T"}, 1).front(), "sample_rate: 16000, length: 16000, layout: T");
  EXPECT_EQ(parameters_of({16000, 0, "T"}, 1).size(), 5u);
  EXPECT_THAT(parameters_of({0, 0, "1T"}, 1, "sample_rate: 8000"),
              ElementsAre("sample_rate: 8000, length: 8000, layout: 1T"));
}

// The sounds of a batch must have one length.
TEST(SoundFeatures, HaveTheMedianLengthIfTheInputHasAny) {
  EXPECT_EQ(parameters_of({0, 0, "T"}, 1.5).front(), "sample_rate: 16000, length: 24000, layout: T");
  EXPECT_EQ(parameters_of({0, 0, "T"}, 1.5, "length: 4000").front(), "length: 4000, sample_rate: 16000, layout: T");
  EXPECT_THAT(parameters_of({0, 80, "FT"}, 1.5), Each(HasSubstr("length: 24000, frames: 151,")));
  EXPECT_EQ(parameters_of({0, 0, "T"}, 1.5, "chunk: 400, sample_rate: 8000").front(),
            "chunk: 400, sample_rate: 8000, layout: T");
}

TEST(SoundFeatures, TryFramesThatSpanTheSounds) {
  const std::vector<std::string> all = parameters_of({51, 40, "1FT"}, 0.8);
  EXPECT_THAT(all, Each(testing::Not(HasSubstr("hop_length: 160,"))));  // half a second
  EXPECT_THAT(all,
              testing::Contains("sample_rate: 16000, n_mels: 40, n_fft: 512, hop_length: 320, log: db, top_db: 80, "
                                "scaling: per_sample, length: 16000, frames: 51, layout: 1FT"));
}

TEST(SoundFeatures, TryFramesThatSpanTheSoundsAtTheGivenRate) {
  const std::vector<std::string> all = parameters_of({51, 40, "1FT"}, 0.8, "sample_rate: 8000");
  EXPECT_THAT(all, testing::Contains(HasSubstr("hop_length: 160,")));   // 1 second
  EXPECT_THAT(all, Each(testing::Not(HasSubstr("hop_length: 512,"))));  // 3.3 seconds
}

TEST(SoundFeatures, KeepGivenParameters) {
  const auto all = parameters_of({51, 40, "1FT"}, 0.8, "n_fft: 1000, log: ln, mel_scale: htk");
  EXPECT_THAT(all, Each(HasSubstr("n_fft: 1000, log: ln, mel_scale: htk")));
  EXPECT_GT(all.size(), 1u);
}

}  // namespace
}  // namespace lpot
