#include <cmath>
#include <cstring>
#include <numbers>
#include <sstream>

#include "lpot/core/text_tensor.h"
#include "lpot/data/audio/log_mel.h"
#include "lpot/data/audio/sound.h"
#include "lpot/data/filter.h"
#include "lpot/data/loader.h"
#include "support.h"
#include "tests/support/components.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::SizeIs;

template <typename T>
std::string wav_bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

struct WavHeader {
  std::uint16_t encoding = 1, channels = 1;
  std::uint32_t rate = 16000;
  std::uint16_t bytes = 2;
  std::string extra = {};  // chunks before the data
};

std::string wav(const std::string& data, const WavHeader& header = {}) {
  const auto block = static_cast<std::uint16_t>(header.bytes * header.channels);
  std::string format = wav_bytes(header.encoding) + wav_bytes(header.channels) + wav_bytes(header.rate) +
                       wav_bytes(header.rate * block) + wav_bytes(block) +
                       wav_bytes(static_cast<std::uint16_t>(header.bytes * 8));
  if (header.encoding == 0xfffe)  // a subformat: PCM
    format += wav_bytes(std::uint16_t{22}) + wav_bytes(std::uint16_t{0}) + wav_bytes(std::uint32_t{4}) +
              wav_bytes(std::uint16_t{1}) + std::string(14, '\x10');
  const std::string chunks = "fmt " + wav_bytes(static_cast<std::uint32_t>(format.size())) + format + header.extra +
                             "data" + wav_bytes(static_cast<std::uint32_t>(data.size())) + data;
  return "RIFF" + wav_bytes(static_cast<std::uint32_t>(chunks.size() + 4)) + "WAVE" + chunks;
}

std::string pcm16(const std::vector<float>& values) {
  std::string data;
  for (const float value : values) data += wav_bytes(static_cast<std::int16_t>(std::lround(value * 32767)));
  return data;
}

std::vector<float> decoded(const std::string& bytes) {
  return decode_wav({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}).samples;
}

std::string decode_error(const std::string& bytes) {
  return message_of<DataError>([&] { decoded(bytes); });
}

std::vector<float> tone(double hertz, double rate, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * hertz * static_cast<double>(i) / rate));
  return values;
}

// The sound of make_audio_expectations.py.
std::vector<float> generated_sound() {
  std::vector<float> values;
  for (double i = 0; i < 3000; ++i)
    values.push_back(
        static_cast<float>(0.5 * std::sin(0.05 * i) + 0.3 * std::sin(0.0004 * i * i) + 0.1 * std::cos(2.1 * i)));
  return values;
}

std::vector<std::vector<double>> table(const std::string& name) {
  std::ifstream file(LPOT_SOURCE_DIR "/tests/data/expected/" + name);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream numbers(line);
    rows.emplace_back(std::istream_iterator<double>(numbers), std::istream_iterator<double>());
  }
  EXPECT_FALSE(rows.empty()) << name;
  return rows;
}

TEST(Wav, DecodesEveryEncoding) {
  EXPECT_THAT(decoded(wav(wav_bytes(std::int16_t{16384}) + wav_bytes(std::int16_t{-32768}))), ElementsAre(0.5f, -1.0f));
  EXPECT_THAT(decoded(wav(std::string("\xc0\x00", 2), {.bytes = 1})), ElementsAre(0.5f, -1.0f));
  EXPECT_THAT(decoded(wav(std::string("\x00\x00\x40\x00\x00\x80", 6), {.bytes = 3})), ElementsAre(0.5f, -1.0f));
  EXPECT_THAT(decoded(wav(wav_bytes(std::int32_t{1} << 30), {.bytes = 4})), ElementsAre(0.5f));
  EXPECT_THAT(decoded(wav(wav_bytes(0.25f), {.encoding = 3, .bytes = 4})), ElementsAre(0.25f));
  EXPECT_THAT(decoded(wav(wav_bytes(-1.5), {.encoding = 3, .bytes = 8})), ElementsAre(-1.5f));
  EXPECT_THAT(decoded(wav(wav_bytes(std::int16_t{16384}), {.encoding = 0xfffe})), ElementsAre(0.5f));
}

TEST(Wav, AveragesChannels) {
  EXPECT_THAT(decoded(wav(pcm16({1, 0, 0, -1}), {.channels = 2})),
              ElementsAre(FloatNear(0.5f, 1e-4f), FloatNear(-0.5f, 1e-4f)));
}

TEST(Wav, SkipsOtherChunks) {
  EXPECT_THAT(decoded(wav(pcm16({0}), {.extra = "LIST" + wav_bytes(std::uint32_t{3}) + "abc" + std::string(1, '\0')})),
              SizeIs(1));
}

// Programs that write to a pipe do not know the length.
TEST(Wav, ReadsToTheEndIfTheLengthIsUnknown) {
  std::string bytes = wav(pcm16({0.1f, 0.2f, 0.3f}));
  for (const std::uint32_t length : {0xffffffffu, 0x7ffff000u}) {
    std::memcpy(bytes.data() + 40, &length, sizeof length);
    EXPECT_THAT(decoded(bytes), SizeIs(3));
  }
}

TEST(Wav, RejectsDamagedFiles) {
  const std::string good = wav(pcm16({0.1f, 0.2f}));
  EXPECT_THAT(decode_error(""), HasSubstr("the file is empty"));
  EXPECT_THAT(decode_error("OggS" + good), HasSubstr("not a WAV file"));
  EXPECT_THAT(decode_error(good.substr(0, good.size() - 2)), HasSubstr("truncated WAV"));
  EXPECT_THAT(decode_error(good.substr(0, 36)), HasSubstr("no data chunk"));
  EXPECT_THAT(decode_error(wav("")), HasSubstr("the WAV file has no samples"));
  EXPECT_THAT(decode_error(wav("abcd", {.encoding = 6, .bytes = 1})), HasSubstr("A-law"));
  EXPECT_THAT(decode_error(wav("abcd", {.channels = 0})), HasSubstr("0 channels"));
  EXPECT_THAT(decode_error(wav("abcd", {.rate = 1})), HasSubstr("1 samples per second; expected 1000 to 768000"));
}

TEST(Resampling, EqualsScipy) {
  for (const std::vector<double>& row : table("resampled.txt")) {
    const Sound sound{static_cast<std::size_t>(row[0]), generated_sound()};
    const std::vector<float> result = resample(sound, {.rate = static_cast<std::size_t>(row[1])});
    ASSERT_EQ(static_cast<double>(result.size()), row[2]);
    for (std::size_t i = 3; i < row.size(); ++i) ASSERT_NEAR(static_cast<double>(result[(i - 3) * 37]), row[i], 1e-6);
  }
}

TEST(Resampling, KeepsTonesThatTheNewRateHas) {
  const std::vector<float> result = resample({44100, tone(1000, 44100, 44100)}, {.rate = 16000});
  const std::vector<float> expected = tone(1000, 16000, 16000);
  ASSERT_EQ(result.size(), expected.size());
  for (std::size_t i = 400; i < 15600; ++i) ASSERT_NEAR(result[i], expected[i], 1e-5) << i;
}

TEST(Resampling, SuppressesTonesAboveTheNewRate) {
  const std::vector<float> result = resample({48000, tone(9000, 48000, 48000)}, {.rate = 16000});
  for (std::size_t i = 400; i < 15600; ++i) ASSERT_LT(std::abs(result[i]), 0.5e-5f) << i;  // -100 dB
}

TEST(Resampling, ComputesOnlyTheFirstSamples) {
  const Sound sound{8000, generated_sound()};
  std::vector<float> all = resample(sound, {.rate = 16000});
  all.resize(100);
  EXPECT_EQ(resample(sound, {.rate = 16000, .count = 100}), all);
}

LogMelOptions options_of(const std::vector<double>& row) {
  const auto size = [&](std::size_t i) { return static_cast<std::size_t>(row[i]); };
  LogMelOptions options{.rate = size(0),
                        .n_fft = size(1),
                        .window = size(2),
                        .hop = size(3),
                        .bands = size(4),
                        .f_min = row[5],
                        .f_max = row[6],
                        .scale = static_cast<MelScale>(size(7)),
                        .normalize_area = row[8] != 0,
                        .power = row[9],
                        .log = static_cast<LogKind>(size(10)),
                        .padding = static_cast<EdgePadding>(size(12))};
  if (row[11] != 0) options.top_db = row[11];
  return options;
}

// f32 results of values up to 100: the tolerance is that of one f32.
TEST(LogMel, EqualsLibrosa) {
  for (const std::vector<double>& row : table("log_mel.txt")) {
    const LogMelOptions options = options_of(row);
    const Tensor values = LogMel(options).of(generated_sound(), {});
    ASSERT_EQ(values.shape(), (Shape{options.bands, static_cast<std::size_t>(row[13])}));
    for (std::size_t i = 14; i < row.size(); ++i)
      ASSERT_NEAR(values.value_at((i - 14) * 7), row[i], 1e-5 * std::max(1.0, std::abs(row[i])))
          << "n_fft " << options.n_fft << ", value " << i - 14;
  }
}

TEST(LogMel, CutsAndPadsFrames) {
  const LogMelOptions options{.n_fft = 400, .bands = 8};
  const Tensor all = LogMel(options).of(generated_sound(), {});
  EXPECT_EQ(all.shape(), (Shape{8, 19}));
  const Tensor fewer = LogMel(options).of(generated_sound(), 5);
  EXPECT_EQ(fewer.value_at(5), all.value_at(19));
  const Tensor more = LogMel(options).of(generated_sound(), 30);
  EXPECT_EQ(more.value_at(29), -100);  // the floor 1e-10 in dB
}

TEST(LogMel, ScalesFeatures) {
  LogMelOptions options{.n_fft = 400, .bands = 8, .log = LogKind::Log10};
  const Tensor plain = LogMel(options).of(generated_sound(), {});
  double highest = -100;
  for (std::size_t i = 0; i < plain.size(); ++i) highest = std::max(highest, plain.value_at(i));
  options.scaling = FeatureScaling::Whisper;
  const Tensor whisper = LogMel(options).of(generated_sound(), {});
  for (std::size_t i = 0; i < plain.size(); ++i)
    ASSERT_NEAR(whisper.value_at(i), (std::max(plain.value_at(i), highest - 8) + 4) / 4, 1e-6);
  options.scaling = FeatureScaling::PerBand;
  const Tensor scaled = LogMel(options).of(generated_sound(), {});
  for (std::size_t band = 0; band < 8; ++band) {
    double sum = 0, squares = 0;
    for (std::size_t t = 0; t < 19; ++t) {
      sum += scaled.value_at(band * 19 + t) / 19;
      squares += scaled.value_at(band * 19 + t) * scaled.value_at(band * 19 + t) / 19;
    }
    EXPECT_NEAR(sum, 0, 1e-6);
    EXPECT_NEAR(squares, 1, 1e-3);
  }
}

TEST(LogMel, RejectsSoundsThatAreTooShort) {
  const LogMel features({.n_fft = 400});
  const std::vector<float> few(200);
  EXPECT_THAT(message_of<DataError>([&] { features.of(few, {}); }),
              HasSubstr("the sound has 200 samples; expected more than half of n_fft = 400. Set length"));
}

class AudioTest : public ::testing::Test {
 protected:
  std::unique_ptr<Dataset> open(std::map<std::string, Value> values) const {
    values["root"] = folder_.path().string();
    return make_dataset(with_defaults(datasets(), "audio", std::move(values)));
  }
  template <typename ErrorType>
  std::string open_error(std::map<std::string, Value> values) const {
    return message_of<ErrorType>([&] { open(std::move(values)); });
  }
  void write_sound(const std::string& name, std::size_t samples, std::uint32_t rate = 16000) const {
    folder_.write(name, wav(pcm16(tone(440, rate, samples)), {.rate = rate}));
  }

  TempFolder folder_;
};

TEST_F(AudioTest, ReadsClassFolders) {
  write_sound("yes/b.wav", 100);
  write_sound("yes/a.WAV", 100);
  write_sound("no/c.wav", 200, 8000);
  folder_.write("empty/readme.txt", "nothing");
  write_sound("_background_noise_/d.wav", 100);
  const auto data = open({{"length", std::int64_t{150}}});
  ASSERT_EQ(data->size(), 3u);
  EXPECT_EQ(data->label(0).value_at(0), 0);  // no
  EXPECT_EQ(data->label(2).value_at(0), 1);
  EXPECT_EQ(data->at(0).inputs[0].describe(), "f32 [150]");
  EXPECT_EQ(data->at(1).inputs[0].value_at(149), 0);  // padded with silence
}

TEST_F(AudioTest, ReadsListsOfClassesAndTexts) {
  write_sound("a.wav", 100);
  write_sound("b.wav", 100);
  folder_.write("classes.csv", "file,label\na,up\nb.wav,down\n");
  folder_.write("texts.txt", "b.wav\tHello you\na\tGr\xc3\xbc\xc3\x9f Gott\n");
  const auto classes = open({{"list", (folder_ / "classes.csv").string()}});
  EXPECT_EQ(classes->label(0).value_at(0), 1);
  const auto texts = open({{"list", (folder_ / "texts.txt").string()}, {"labels", std::string("texts")}});
  EXPECT_THAT(to_texts(texts->label(0)), ElementsAre("Hello you"));
  EXPECT_THAT(to_texts(texts->at(1).label), ElementsAre("Gr\xc3\xbc\xc3\x9f Gott"));
  EXPECT_TRUE(open({{"labels", std::string("none")}})->label(0).empty());
  EXPECT_TRUE(open({})->label(0).empty());  // no class folders
}

TEST_F(AudioTest, ComputesLogMelFeaturesInTheLayoutOfTheModel) {
  write_sound("a.wav", 16000);
  const auto shape = [&](const std::string& layout) {
    return open({{"n_mels", std::int64_t{40}},
                 {"n_fft", std::int64_t{400}},
                 {"hop_length", std::int64_t{160}},
                 {"frames", std::int64_t{98}},
                 {"layout", layout}})
        ->at(0)
        .inputs[0];
  };
  const Tensor bands_first = shape("FT"), frames_first = shape("1TF");
  EXPECT_EQ(bands_first.describe(), "f32 [40,98]");
  EXPECT_EQ(frames_first.describe(), "f32 [1,98,40]");
  EXPECT_EQ(bands_first.value_at(5 * 98 + 7), frames_first.value_at(7 * 40 + 5));
  EXPECT_EQ(shape("FT1").describe(), "f32 [40,98,1]");
}

TEST_F(AudioTest, CutsSoundsIntoSequencesOfChunks) {
  write_sound("a.wav", 250);
  write_sound("b.wav", 100);
  write_sound("c.wav", 300);
  const std::shared_ptr<const Dataset> data =
      open({{"chunk", std::int64_t{100}}, {"chunk_context", std::int64_t{10}}, {"layout", std::string("1T")}});
  EXPECT_THAT(data->sequence_lengths(), ElementsAre(3, 1, 3));
  EXPECT_EQ(data->size(), 7u);
  const std::vector<float> samples = decoded(wav(pcm16(tone(440, 16000, 250))));
  const Tensor first = data->at(0).inputs[0], third = data->at(2).inputs[0];
  EXPECT_EQ(third.describe(), "f32 [1,110]");
  EXPECT_EQ(first.value_at(0), 0);  // before the sound
  EXPECT_EQ(first.value_at(11), static_cast<double>(samples[1]));
  EXPECT_EQ(third.value_at(0), static_cast<double>(samples[190]));
  EXPECT_EQ(third.value_at(109), 0);  // after the sound
  EXPECT_THAT(DataLoader(data, {}).sequence_starts(), ElementsAre(0, 3, 4));
  EXPECT_THAT(DataLoader(data, {}, {.sequence_lengths = {7}}).sequence_starts(), ElementsAre(0));
  // A part has whole sequences.
  const std::shared_ptr<const Dataset> part = select_subset(data, 0, 0.67), rest = select_subset(data, 0.67, 1);
  EXPECT_THAT(part->sequence_lengths(), SizeIs(2));
  EXPECT_EQ(part->size() + rest->size(), 7u);
}

TEST_F(AudioTest, NamesFilesThatCannotBeRead) {
  folder_.write("empty.wav", "");
  EXPECT_THAT(message_of<DataError>([&] { open({})->at(0); }),
              AllOf(HasSubstr("[audio] sample 0: "), HasSubstr("empty.wav: the file is empty")));
  folder_.write("empty.wav", wav(""));
  EXPECT_THAT(message_of<DataError>([&] { open({})->at(0); }), HasSubstr("empty.wav: the WAV file has no samples"));
  write_sound("empty.wav", 10);
  EXPECT_THAT(
      message_of<DataError>([&] {
        open({{"n_mels", std::int64_t{8}}, {"n_fft", std::int64_t{400}}, {"hop_length", std::int64_t{160}}})->at(0);
      }),
      AllOf(HasSubstr("empty.wav"), HasSubstr("the sound has 10 samples")));
}

TEST_F(AudioTest, RejectsParametersThatDoNotFit) {
  EXPECT_THAT(open_error<DataError>({}), HasSubstr("found no .wav files"));
  write_sound("a.wav", 10);
  EXPECT_THAT(open_error<ConfigError>({{"n_mels", std::int64_t{8}}}), HasSubstr("need n_mels, n_fft and hop_length"));
  EXPECT_THAT(open_error<ConfigError>({{"layout", std::string("FT")}}), HasSubstr("layout: expected T (samples)"));
  EXPECT_THAT(open_error<ConfigError>({{"labels", std::string("texts")}}), HasSubstr("labels: texts needs a list"));
  EXPECT_THAT(open_error<ConfigError>({{"sample_rate", std::int64_t{10}}}), HasSubstr("expected at least 1000"));
  EXPECT_THAT(open_error<ConfigError>({{"chunk", std::int64_t{0}}}), HasSubstr("chunk: expected at least 1, got 0"));
  const std::map<std::string, Value> mel{
      {"n_mels", std::int64_t{8}}, {"n_fft", std::int64_t{400}}, {"hop_length", std::int64_t{160}}, {"f_max", 9000.0}};
  EXPECT_THAT(open_error<ConfigError>(mel), HasSubstr("f_max at most half of sample_rate = 16000"));
  folder_.write("texts.txt", "a.wav Hello\n");
  EXPECT_THAT(open_error<DataError>({{"list", (folder_ / "texts.txt").string()}, {"labels", std::string("texts")}}),
              HasSubstr("texts.txt:1: expected a file name, a tab and a text"));
}

}  // namespace
}  // namespace lpot
