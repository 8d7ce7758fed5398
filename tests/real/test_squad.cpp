// SQuAD's development set, and real answers to it.
#include <algorithm>
#include <cstdlib>

#include "lpot/core/file.h"
#include "lpot/data/text/squad.h"
#include "lpot/metrics/squad_score.h"
#include "tests/cli/support.h"

namespace lpot {
namespace {

class SquadData : public CliTest {
 protected:
  static std::string data(const std::string& name) {
    const char* folder = std::getenv("LPOT_TEST_DATA");
    if (!folder || !*folder) throw std::runtime_error("set LPOT_TEST_DATA to the folder with the data and models");
    const auto path = std::filesystem::absolute(std::filesystem::path(folder) / name).lexically_normal();
    if (!std::filesystem::exists(path)) throw std::runtime_error(path.string() + " is missing");
    return path.string();
  }

  static SquadScore score_of(const std::string& predictions) {
    const Squad squad = read_squad("test", data("squad-v1.1/dev-v1.1.json.gz"));
    EXPECT_EQ(squad.questions.size(), 10570u);
    const std::vector<std::uint8_t> bytes = read_file(data("squad-v1.1/" + predictions));
    const Json given = Json::parse(bytes.begin(), bytes.end());
    SquadScore score;
    for (const SquadQuestion& question : squad.questions) {
      if (given.contains(question.id))
        score.count(given[question.id].get<std::string>(), question.answers);
      else
        score.count_unanswered();
    }
    return score;
  }
};

// The block of YAML behind the heading "Write Yaml config file" of the document with this text in it.
std::string seed_yaml(const std::filesystem::path& folder, const std::string& mark) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string text = read_bytes(entry.path());
    if (text.find(mark) == std::string::npos) continue;
    const auto fence = text.find("```", text.find("Write Yaml config file"));
    const auto begin = text.find('\n', fence) + 1;
    return text.substr(begin, text.find("```", begin) - begin);
  }
  throw std::runtime_error("no document with " + mark);
}

// The frozen graph with its pipeline inside, tuned with the document's own configuration and a second file that names
// data and metric, on three of the nine articles that the model was not trained on.
TEST_F(SquadData, TheGraphWithAPipelineIsTunedWithTheConfigurationAsItStands) {
  const std::string squad = "label_file: '" + data("squad-v1.1/dev-v1.1.json.gz") + "', max_seq_length: 256";
  const std::string bert = "dataset: {bert: {root: '" + data("bert-vocab") + "', " + squad + ", articles: ";
  write("bert.yaml", seed_yaml(data("../seeds"), "IteratorGetNext:3"));
  write("squad.yaml", "quantization: {calibration: {dataloader: {batch_size: 4, shuffle: true, " + bert +
                          "[Warsaw, Oxygen, Rhine, Kenya]}}}}}\nevaluation:\n  accuracy:\n    metric: {SquadF1: {}}\n" +
                          "    postprocess: {transform: {SquadV1: {vocab_file: '" + data("bert-vocab") + "', " + squad +
                          "}}}\n    dataloader: {batch_size: 8, " + bert + "[Normans, Teacher, Packet_switching]}}}\n");
  const Outcome run = lpot({"tune", "bert.yaml", "squad.yaml", "--model",
                            data("minilm-squad-pb/minilm_squad_frozen.pb"), "--output", "int8", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json result = run.json();
  const double baseline = result["baseline"]["accuracy"].get<double>();
  EXPECT_GT(baseline, 65) << "70.3 on all nine; warnings: " << run.err;
  EXPECT_GE(result["best"]["accuracy"].get<double>(), 0.99 * baseline);
  EXPECT_GT(result["best"]["speedup"].get<double>(), 1.0);
  const auto fallback = result["best"]["fallback"].get<std::vector<std::string>>();
  EXPECT_THAT(fallback, ::testing::Contains("MatMul")) << "as the configuration says";
  // Products of attention are in int8 with VNNI only, and a machine may be slower at one or the other product in int8.
  const auto others = std::count_if(fallback.begin(), fallback.end(), [](const std::string& op) {
    return op != "MatMul" && op.find("/attention/self/MatMul") == std::string::npos;
  });
  EXPECT_LE(others, 4) << "of 37: the goal is met without fallback";
}

TEST_F(SquadData, PublishedAnswersScoreAsTheOfficialScriptSays) {
  const SquadScore ensemble = score_of("predictions-bert-ensemble.json.gz");
  EXPECT_NEAR(ensemble.exact_match(), 86.2062, 5e-5);
  EXPECT_NEAR(ensemble.f1(), 92.1956, 5e-5);
  const SquadScore regression = score_of("predictions-logistic-regression.json.gz");
  EXPECT_NEAR(regression.exact_match(), 40.1419, 5e-5);
  EXPECT_NEAR(regression.f1(), 50.9815, 5e-5);
}

}  // namespace
}  // namespace lpot
