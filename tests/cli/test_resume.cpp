// kill -9 at any moment, then --resume: the study comes to the same list of trials as one that nobody disturbed.
#include <algorithm>
#include <random>

#include "tests/cli/support.h"

namespace lpot {
namespace {

constexpr int kKills = 3;

// What must not depend on interruptions: number, plan and accuracy of each trial.
struct TrialLine {
  int number = 0;
  std::string plan;
  double accuracy = 0;
  bool operator==(const TrialLine&) const = default;
};
void PrintTo(const TrialLine& line, std::ostream* out) {
  *out << line.number << " " << line.accuracy << " " << line.plan;
}

class Resume : public CliTest {
 protected:
  static constexpr const char* kWorkspace = "lpot_workspace/net-onnx";

  void SetUp() override { write("conf.yaml", kUnreachable + "  exit_policy: {max_trials: 3}\n"); }

  std::vector<std::string> tune_words(bool resume) const {
    std::vector<std::string> words{"tune", "conf.yaml", "-m", kModel, "--json"};
    if (resume) words.push_back("--resume");
    return words;
  }

  std::vector<TrialLine> trials() const {
    const Json studies = lpot({"show", kWorkspace, "--json"}).json();
    EXPECT_EQ(studies.size(), 1u);
    std::vector<TrialLine> lines;
    for (const Json& trial : studies.at(0).at("trials"))
      lines.push_back({trial.at("number"), trial.at("plan").dump(), trial.at("result").at("accuracy")});
    return lines;
  }

  std::vector<std::string> temporary_files() const {
    std::vector<std::string> names;
    if (!exists(std::string(kWorkspace) + "/best")) return names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / kWorkspace / "best"))
      if (entry.path().filename().string().find(".tmp") != std::string::npos) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  // A model that is there is whole, and so is the store.
  void expect_no_half_results() const {
    const std::string model = std::string(kWorkspace) + "/best/model.xml";
    if (exists(model)) {
      const Outcome inspected = lpot({"inspect", model});
      EXPECT_EQ(inspected.code, 0) << inspected.err;
    }
    const Outcome shown = lpot({"show", kWorkspace, "--json"});
    EXPECT_TRUE(shown.code == 0 || shown.err.find("no such file") != std::string::npos ||
                shown.err.find("the store contains no study yet") != std::string::npos)
        << shown.err;
  }

  // Runs to the end and gives the trials; `undisturbed` is what they must be.
  void finish(const std::vector<TrialLine>& undisturbed, std::size_t best) const {
    const Outcome run = lpot(tune_words(true));
    ASSERT_EQ(run.code, 3) << run.err;
    EXPECT_EQ(trials(), undisturbed);
    EXPECT_EQ(run.json()["best"]["trial"], best);
    EXPECT_EQ(temporary_files(), std::vector<std::string>{});
    const Outcome evaluated =
        lpot({"evaluate", "conf.yaml", "-m", run.json()["model"], "--reference", kModel, "--json"});
    ASSERT_EQ(evaluated.code, 0) << evaluated.err;
    EXPECT_DOUBLE_EQ(evaluated.json()["accuracy"], undisturbed.at(best - 1).accuracy);
  }
};

TEST_F(Resume, GivesTheSameTrialsWhereverItWasKilled) {
  const auto start_time = std::chrono::steady_clock::now();
  const Outcome whole = lpot(tune_words(false));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_time).count();
  ASSERT_EQ(whole.code, 3) << whole.err;
  const std::vector<TrialLine> undisturbed = trials();
  ASSERT_EQ(undisturbed.size(), 3u);
  const std::size_t best = whole.json()["best"]["trial"];

  // --gtest_random_seed=N tries other moments.
  std::mt19937 random(1978 + static_cast<unsigned>(testing::UnitTest::GetInstance()->random_seed()));
  std::filesystem::remove_all(folder_ / kWorkspace);
  for (int kill = 0; kill < kKills; ++kill) {
    const auto running = start(tune_words(kill > 0));
    const double moment = std::uniform_real_distribution<>(0, seconds * 0.6)(random);
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(moment);
    running->wait_until([&] { return std::chrono::steady_clock::now() >= until; });
    running->kill(SIGKILL);
    running->wait();
    expect_no_half_results();
  }
  finish(undisturbed, best);

  // And while it saves a model, which is when the most can break.
  std::filesystem::remove_all(folder_ / kWorkspace);
  for (int kill = 0; kill < kKills; ++kill) {
    const std::vector<std::string> leftovers = temporary_files();
    const auto running = start(tune_words(kill > 0));
    const auto saves = [&] {
      const std::vector<std::string> names = temporary_files();
      return !std::includes(leftovers.begin(), leftovers.end(), names.begin(), names.end());
    };
    if (running->wait_until(saves)) std::this_thread::sleep_for(std::chrono::milliseconds(kill));
    running->kill(SIGKILL);
    running->wait();
    EXPECT_LE(temporary_files().size(), 4u) << "leftovers pile up";
    expect_no_half_results();
  }
  finish(undisturbed, best);
}

}  // namespace
}  // namespace lpot
