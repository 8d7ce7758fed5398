// mpirun -n N lpot tune: the statistics, scores and trials of one process, whatever N; and what becomes of a run one of
// whose processes dies.
#include <sqlite3.h>

#include <fstream>

#include "tests/cli/support.h"

namespace lpot {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// All int8 models differ from fp32 in some sample, so each trial fails and its evaluation ends early.
const std::string kStudy = R"(model: {name: net}
quantization:
  calibration: {sampling_size: 100, dataloader: {batch_size: 7, dataset: &data {FashionMNIST: {root: /usr/share/datasets/fashion-mnist}}, transform: &steps {ToTensor: {}, Normalize: {mean: [0.2860], std: [0.3530]}}}}
  recipes: {forms: plain}
evaluation:
  accuracy:
    metric: {Agreement: {}}
    configs: {cores_per_instance: 1}
    iteration: 63
    dataloader: {batch_size: 32, dataset: *data, transform: *steps}
tuning:
  strategy: {name: exhaustive}
  accuracy_criterion: {absolute: 0}
  exit_policy: {max_trials: 4}
)";
const std::string kWorkspace = "lpot_workspace/net-onnx";

// What of a study must not depend on how many processes there were: key or trial, then its value.
using Rows = std::vector<std::pair<std::string, std::string>>;

std::string without_times(const std::string& text) {
  Json json = Json::parse(text);
  for (const char* key :
       {"latency_ms", "speedup", "speedup_low", "speedup_high", "speedup_vs_default", "cores", "footprint_bytes"})
    json.erase(key);
  return json.dump();
}

Rows rows_of(const fs::path& database) {
  sqlite3* handle = nullptr;
  EXPECT_EQ(sqlite3_open_v2(database.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK) << database;
  Rows rows;
  const auto read = [&](const char* query, bool has_times) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(handle, query, -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      const auto text = [&](int column) {
        const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
        return std::string(bytes ? bytes : "", static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
      };
      rows.emplace_back(text(0), has_times ? without_times(text(1)) : text(1));
    }
    sqlite3_finalize(statement);
  };
  read("SELECT key, value FROM measurements WHERE key LIKE 'statistics%' OR key LIKE 'notes%' ORDER BY key", false);
  read("SELECT key, value FROM measurements WHERE key = 'baseline' OR key LIKE 'complete%' ORDER BY key", true);
  read("SELECT plan, result FROM trials ORDER BY number", true);
  sqlite3_close(handle);
  return rows;
}

// The process of that rank that works in the folder.
std::optional<pid_t> process_of_rank(int rank, const fs::path& folder) {
  const std::string wanted = std::string("OMPI_COMM_WORLD_RANK=") + std::to_string(rank) + '\0';
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code gone;
    if (fs::read_symlink(entry.path() / "cwd", gone) != fs::canonical(folder)) continue;
    if (fs::read_symlink(entry.path() / "exe", gone) != fs::canonical(LPOT_PROGRAM)) continue;
    if (read_bytes(entry.path() / "environ").find(wanted) != std::string::npos) return std::stoi(name);
  }
  return std::nullopt;
}

class Mpi : public CliTest {
 protected:
  void SetUp() override { write("conf.yaml", kStudy); }

  std::vector<std::string> tune(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"tune", "conf.yaml", "-m", kModel, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  static std::vector<std::string> many(int processes, const std::vector<std::string>& words) {
    std::vector<std::string> all{LPOT_MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n",
                                 std::to_string(processes)};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }

  std::unique_ptr<Running> start_many(int processes, std::vector<std::string> words) const {
    words.insert(words.begin(), LPOT_PROGRAM);
    return std::make_unique<Running>(many(processes, words), folder_ / "", 0);
  }

  Rows rows() const { return rows_of(folder_ / kWorkspace / "lpot.db"); }
  void remove_workspace() const { fs::remove_all(folder_ / "lpot_workspace"); }
};

TEST_F(Mpi, GivesTheStatisticsScoresAndTrialsOfOneProcess) {
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--set", "evaluation.accuracy.confidence=0.999"}}) {
    const Outcome alone = lpot(tune(more));
    ASSERT_EQ(alone.code, 3) << alone.err;
    const Rows expected = rows();
    const auto trials = lpot({"show", kWorkspace, "--json"}).json().at(0).at("trials");
    ASSERT_EQ(trials.size(), 4u);
    EXPECT_LT(trials.at(1).at("result").at("samples"), 2016) << "this one ends early";
    for (const int processes : {1, 2, 4}) {
      remove_workspace();
      const Outcome many = start_many(processes, tune(more))->wait();
      EXPECT_EQ(many.code, 3) << many.err;
      const Rows found = rows();
      ASSERT_EQ(found.size(), expected.size()) << processes;
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_TRUE(found[i] == expected[i]) << processes << " processes: " << found[i].first;
      EXPECT_EQ(many.json()["best"]["trial"], alone.json()["best"]["trial"]);
    }
    remove_workspace();
  }
}

TEST_F(Mpi, PrintsEachMessageOnce) {
  const Outcome run = start_many(3, tune())->wait();
  EXPECT_EQ(run.code, 3);
  const std::string first = "\n    1  ";
  ASSERT_NE(run.err.find(first), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find(first), run.err.rfind(first)) << run.err;
  const Outcome wrong = start_many(3, {"tune", "none.yaml", "-m", kModel, "-q"})->wait();
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.err.find("none.yaml"), std::string::npos) << wrong.err;
  EXPECT_EQ(wrong.err.find("none.yaml"), wrong.err.rfind("none.yaml")) << wrong.err;
}

// With whole evaluations of all samples, so that there is time to die in.
const std::vector<std::string> kLong{"--set", "tuning.strategy.name=basic",
                                     "--set", "evaluation.accuracy.iteration=-1",
                                     "--set", "tuning.exit_policy.max_trials=3"};

TEST_F(Mpi, EndsWithAMessageWhenAProcessDiesAndResumesWithAnyNumber) {
  ASSERT_EQ(lpot(tune(kLong)).code, 3);
  const Rows expected = rows();
  std::vector<std::string> resume = kLong;
  resume.push_back("--resume");
  for (const int processes : {2, 4}) {
    remove_workspace();
    const auto running = start_many(processes, tune(kLong));
    ASSERT_TRUE(running->wait_until([&] { return exists(kWorkspace + "/best/model.xml"); })) << running->err();
    const auto victim = process_of_rank(processes - 1, folder_ / "");
    ASSERT_TRUE(victim.has_value());
    ASSERT_EQ(::kill(*victim, SIGKILL), 0);
    const Outcome died = running->wait();
    EXPECT_NE(died.code, 0);
    EXPECT_THAT(died.err, HasSubstr("rank " + std::to_string(processes - 1)));
    const Outcome resumed = start_many(6 - processes, tune(resume))->wait();
    EXPECT_EQ(resumed.code, 3) << resumed.err;
    EXPECT_TRUE(rows() == expected) << processes;
  }
}

TEST_F(Mpi, WorkersWriteNothing) {
  // The workers run in a separate folder, which is also their home directory.
  const fs::path elsewhere = folder_ / "elsewhere";
  fs::create_directory(elsewhere);
  fs::copy_file(folder_ / "conf.yaml", elsewhere / "conf.yaml");
  fs::permissions(elsewhere, fs::perms::owner_write | fs::perms::group_write, fs::perm_options::remove);
  write("run.sh", R"(#!/bin/sh
if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then exec "$@"; fi
cd elsewhere && HOME=$PWD XDG_CACHE_HOME=$PWD exec "$@"
)");
  std::vector<std::string> words = tune();
  words.insert(words.begin(), {"/bin/sh", "run.sh", LPOT_PROGRAM});
  const Outcome run = Running(many(3, words), folder_ / "", 0).wait();
  EXPECT_EQ(run.code, 3) << run.err;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(elsewhere)) names.push_back(entry.path().filename());
  EXPECT_EQ(names, std::vector<std::string>{"conf.yaml"});
  fs::permissions(elsewhere, fs::perms::owner_write, fs::perm_options::add);
}

TEST_F(Mpi, ReportsAWorkerWhoseDataDiffer) {
  write("run.sh", R"(#!/bin/sh
if [ "$OMPI_COMM_WORLD_RANK" = 0 ]; then exec "$@"; fi
exec "$@" --set evaluation.accuracy.iteration=3
)");
  std::vector<std::string> words = tune({"-q"});
  words.insert(words.begin(),
               {LPOT_MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", "2", "/bin/sh", "run.sh", LPOT_PROGRAM});
  const Outcome run = Running(words, folder_ / "", 0).wait();
  EXPECT_NE(run.code, 0);
  EXPECT_THAT(run.err, AllOf(HasSubstr("rank 1"), HasSubstr("evaluation data differ from rank 0")));
  EXPECT_FALSE(exists(kWorkspace + "/lpot.db")) << "nothing was begun";
}

TEST_F(Mpi, EvaluatesAndQuantizesTheSame) {
  const std::vector<std::string> evaluate{
      "evaluate", "conf.yaml", "-m", kModel, "--json", "--set", "evaluation.accuracy.metric={topk: 1}"};
  const Outcome alone = lpot(evaluate), many = start_many(2, evaluate)->wait();
  ASSERT_EQ(many.code, 0) << many.err;
  EXPECT_EQ(many.json()["accuracy"], alone.json()["accuracy"]);
  EXPECT_EQ(many.json()["samples"], 2016);
  ASSERT_EQ(lpot({"quantize", "conf.yaml", "-m", kModel, "-o", "one"}).code, 0);
  ASSERT_EQ(start_many(3, {"quantize", "conf.yaml", "-m", kModel, "-o", "many"})->wait().code, 0);
  EXPECT_TRUE(read_bytes(folder_ / "one/model.bin") == read_bytes(folder_ / "many/model.bin"));
}

TEST_F(Mpi, RejectsVerbsThatRunInOneProcess) {
  const Outcome run = start_many(2, {"inspect", kModel, "-q"})->wait();
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("lpot: [distributed] 'lpot inspect' runs in one process; start it without mpirun\n"));
}

}  // namespace
}  // namespace lpot
