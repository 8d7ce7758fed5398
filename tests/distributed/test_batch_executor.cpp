// What every BatchExecutor does: the same tests run on one process and on several.
#include "lpot/distributed/batch_executor.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "lpot/core/error.h"
#include "lpot/distributed/batch_worker.h"
#include "lpot/distributed/messages.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"
#include "tests/support/memory_data.h"
#include "tests/support/streaming.h"
#include "tests/support/thread_transport.h"

namespace lpot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// The mean and the largest value of each row, for rows of any length.
Model row_model() {
  const auto x = parameter({-1, -1}, "x");
  const auto axis = op::Constant::create(ov::element::i64, {1}, {1});
  return as_model({std::make_shared<op::ReduceMean>(x, axis, true), std::make_shared<op::ReduceMax>(x, axis, true)},
                  {x});
}

// Row i contains random values around i and has the label i. Rows have up to `lengths` different lengths.
std::vector<Sample> rows(std::size_t count, std::size_t lengths = 1) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<float> values = random_values(5 + i % lengths, static_cast<unsigned>(i));
    for (float& value : values) value += static_cast<float>(i);
    samples.push_back({{Tensor::from<float>({values.size()}, values)}, Tensor::scalar(static_cast<std::int64_t>(i))});
  }
  return samples;
}

// Rows of which one cannot be read.
class DamagedData : public MemoryData {
 public:
  DamagedData(std::size_t count, std::size_t damaged) : MemoryData(rows(count)), damaged_(damaged) {}
  Sample at(std::size_t index) const override {
    if (index == damaged_) throw DataError("rows", "sample " + std::to_string(index) + " cannot be read");
    return MemoryData::at(index);
  }

 private:
  std::size_t damaged_;
};

DataLoader damaged_loader(std::size_t count, std::size_t damaged, std::size_t batch_size) {
  return DataLoader(std::make_shared<DamagedData>(count, damaged), {}, {.batch_size = batch_size});
}

std::vector<std::size_t> first_positions(std::size_t count) {
  std::vector<std::size_t> positions(count);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return positions;
}

// One batch as the collector received it.
struct Record {
  std::vector<std::size_t> positions;
  std::string contents;  // outputs, labels and NaN

  bool operator==(const Record&) const = default;
};

std::string contents_of(const ExecutedBatch& batch) {
  ByteWriter writer;
  write(writer, batch.outputs);
  write(writer, batch.labels);
  for (const NanInput& nan : batch.nans) writer.number(nan.row), writer.number(nan.input);
  return writer.release();
}

class RecordEncoder : public BatchEncoder {
 public:
  std::string encode(ExecutedBatch batch) override {
    if (batch.is_final) samples_ += batch.positions.size();
    return contents_of(batch);
  }
  std::string summary() override { return std::to_string(samples_); }

 private:
  std::size_t samples_ = 0;
};

class Recorder : public BatchCollector {
 public:
  explicit Recorder(std::size_t needed = 1000000, std::size_t bad = 1000000) : needed_(needed), bad_(bad) {}

  void add(ExecutedBatch batch) override {
    record({{batch.positions.begin(), batch.positions.end()}, contents_of(batch)});
  }
  bool is_complete() const override { return samples_ >= needed_; }
  nlohmann::json worker_order() const override { return {{"work", "record"}}; }
  std::unique_ptr<BatchEncoder> make_encoder() const override { return std::make_unique<RecordEncoder>(); }
  void add_encoded(std::span<const std::size_t> positions, std::string_view bytes) override {
    ++encoded_;
    record({{positions.begin(), positions.end()}, std::string(bytes)});
  }
  void add_summary(std::string_view summary) override { summarized_ += std::stoul(std::string(summary)); }

  const std::vector<Record>& records() const { return records_; }
  std::size_t samples() const { return samples_; }
  std::size_t encoded() const { return encoded_; }        // batches
  std::size_t summarized() const { return summarized_; }  // samples

 private:
  void record(Record record) {
    if (record.positions.front() == bad_) throw DataError("record", "sample " + std::to_string(bad_) + " is bad");
    samples_ += record.positions.size();
    records_.push_back(std::move(record));
  }

  std::size_t needed_, bad_;  // a number of samples; a position
  std::vector<Record> records_;
  std::size_t samples_ = 0, encoded_ = 0, summarized_ = 0;
};

std::vector<std::size_t> positions_in(const std::vector<Record>& records) {
  std::vector<std::size_t> all;
  for (const Record& record : records) all.insert(all.end(), record.positions.begin(), record.positions.end());
  return all;
}

// The result with one thread.
std::vector<Record> expected_records(const BatchProgram& program, std::vector<std::size_t> positions) {
  BatchProgram sequential = program;
  sequential.runner.threads = 1;
  Recorder recorder;
  LocalExecutor().open(sequential)->run({.positions = std::move(positions)}, recorder, {});
  return recorder.records();
}

struct Executors {
  int processes = 1;  // 0: a LocalExecutor
  int threads = 1;
};
void PrintTo(const Executors& tested, std::ostream* out) {
  *out << tested.processes << " processes, " << tested.threads << " threads";
}

class EveryExecutor : public testing::TestWithParam<Executors> {
 protected:
  EveryExecutor() {
    if (GetParam().processes == 0) return;
    workers_ = std::make_unique<WorkerThreads>(GetParam().processes, [this](int rank) {
      return [this, rank](const std::string& order) {
        return make_batch_task(nlohmann::json::from_cbor(order), rank, *program_, std::make_shared<RecordEncoder>());
      };
    });
  }

  const BatchProgram& use(const DataLoader& loader) {
    program_.emplace(BatchProgram{.model = row_model(), .loader = loader, .runner = {.threads = GetParam().threads}});
    return *program_;
  }
  std::unique_ptr<BatchSession> open() {
    executor_ = make_executor(workers_ ? &workers_->coordinator() : nullptr);
    return executor_->open(*program_);
  }

  std::optional<BatchProgram> program_;  // of the workers too
  std::unique_ptr<WorkerThreads> workers_;
  std::unique_ptr<BatchExecutor> executor_;
};

TEST_P(EveryExecutor, GivesTheBatchesInTheOrderOfThePositions) {
  use(loader_of(rows(200), 4));
  std::vector<std::size_t> positions = first_positions(200);
  std::shuffle(positions.begin(), positions.end(), std::mt19937(1));
  Recorder recorder;
  open()->run({.positions = positions}, recorder, {});
  EXPECT_EQ(positions_in(recorder.records()), positions);
  EXPECT_EQ(recorder.records(), expected_records(*program_, positions));
}

TEST_P(EveryExecutor, GivesTheSameBatchesInLargerJobs) {
  use(loader_of(rows(101), 4));
  Recorder recorder;
  open()->run({.positions = first_positions(101), .samples_per_job = 10}, recorder, {});
  EXPECT_EQ(recorder.records(), expected_records(*program_, first_positions(101)));
}

TEST_P(EveryExecutor, RunsAShortLastBatch) {
  use(loader_of(rows(30), 8));
  Recorder recorder;
  open()->run({.positions = first_positions(30)}, recorder, {});
  ASSERT_EQ(recorder.records().size(), 4u);
  EXPECT_THAT(recorder.records().back().positions, ElementsAre(24, 25, 26, 27, 28, 29));
  EXPECT_EQ(recorder.records(), expected_records(*program_, first_positions(30)));
}

TEST_P(EveryExecutor, RunsBatchesOfSeveralShapes) {
  use(loader_of(rows(120, 17)));
  Recorder recorder;
  open()->run({.positions = first_positions(120)}, recorder, {});
  EXPECT_EQ(recorder.records(), expected_records(*program_, first_positions(120)));
}

TEST_P(EveryExecutor, StopsWhenTheCollectorIsCompleteAndRunsTheNextPass) {
  use(loader_of(rows(400), 4));
  const auto session = open();
  Recorder first(10);
  session->run({.positions = first_positions(400)}, first, {});
  EXPECT_EQ(positions_in(first.records()), first_positions(12));
  Recorder second;
  session->run({.positions = first_positions(20)}, second, {});
  EXPECT_EQ(second.records(), expected_records(*program_, first_positions(20)));
}

TEST_P(EveryExecutor, RunsNothingForNoPositionsOrACompleteCollector) {
  use(loader_of(rows(8), 4));
  Recorder recorder, complete(0);
  const auto session = open();
  session->run({.positions = {}}, recorder, {});
  session->run({.positions = first_positions(8)}, complete, {});
  EXPECT_THAT(recorder.records(), IsEmpty());
  EXPECT_THAT(complete.records(), IsEmpty());
}

TEST_P(EveryExecutor, ThrowsAReadErrorAtItsPlaceInTheOrder) {
  use(damaged_loader(100, 17, 2));
  Recorder recorder;
  EXPECT_THAT(message_of<DataError>([&] { open()->run({.positions = first_positions(100)}, recorder, {}); }),
              StartsWith("[rows] sample 17 cannot be read. Repair the data"));
  EXPECT_EQ(positions_in(recorder.records()), first_positions(16));
}

TEST_P(EveryExecutor, DoesNotThrowAReadErrorAfterTheLastNeededBatch) {
  use(damaged_loader(100, 17, 2));
  const auto session = open();
  for (const std::size_t needed : {12u, 14u, 16u}) {
    Recorder recorder(needed);
    session->run({.positions = first_positions(100)}, recorder, {});
    EXPECT_EQ(recorder.samples(), needed);
  }
}

TEST_P(EveryExecutor, ThrowsAnErrorOfTheCollectorAndRunsTheNextPass) {
  use(loader_of(rows(60), 3));
  const auto session = open();
  Recorder refuses(1000, 21), accepts;
  EXPECT_EQ(message_of<DataError>([&] { session->run({.positions = first_positions(60)}, refuses, {}); }),
            "[record] sample 21 is bad");
  EXPECT_EQ(positions_in(refuses.records()), first_positions(21));
  session->run({.positions = first_positions(60)}, accepts, {});
  EXPECT_EQ(accepts.records(), expected_records(*program_, first_positions(60)));
}

TEST_P(EveryExecutor, ThrowsTheErrorOfABatchThatTheModelRejects) {
  std::vector<Sample> samples = rows(20);
  samples[11].inputs = {random_tensor({2, 3, 4}, 1)};
  use(loader_of(samples));
  Recorder recorder;
  EXPECT_THROW(open()->run({.positions = first_positions(20)}, recorder, {}), Error);
  EXPECT_LE(recorder.samples(), 11u);
}

TEST_P(EveryExecutor, StopsWhenTheObserverAsksTo) {
  use(loader_of(rows(400)));
  Recorder recorder;
  Observer observer;
  observer.should_stop = [&] { return recorder.samples() >= 5; };
  EXPECT_THROW(open()->run({.positions = first_positions(400)}, recorder, observer), Interrupted);
  EXPECT_LT(recorder.samples(), 400u);
}

TEST_P(EveryExecutor, FindsNanAndLeavesLabelsOutIfAsked) {
  std::vector<Sample> samples = rows(30);
  for (const std::size_t damaged : {7u, 8u, 25u}) samples[damaged].inputs[0].data<float>()[2] = std::nanf("");
  use(loader_of(samples, 4));
  const std::vector<Record> plain = expected_records(*program_, first_positions(30));
  program_->find_nans = true;
  program_->with_labels = false;
  Recorder recorder;
  open()->run({.positions = first_positions(30)}, recorder, {});
  const std::vector<Record> expected = expected_records(*program_, first_positions(30));
  EXPECT_NE(expected, plain);
  EXPECT_EQ(recorder.records(), expected);
}

TEST_P(EveryExecutor, GivesTheSameBatchesWithBorrowedOutputs) {
  use(loader_of(rows(50), 3));
  const std::vector<Record> expected = expected_records(*program_, first_positions(50));
  program_->runner.borrow_outputs = true;
  const auto session = open();
  program_->runner.borrow_outputs = false;
  Recorder recorder;
  session->run({.positions = first_positions(50)}, recorder, {});
  EXPECT_EQ(recorder.records(), expected);
}

TEST_P(EveryExecutor, UsesWorkersOnlyForPassesThatMayLeaveThisProcess) {
  use(loader_of(rows(40), 4));
  const auto session = open();
  Recorder here, shared;
  session->run({.positions = first_positions(40), .in_this_process = true}, here, {});
  session->run({.positions = first_positions(40)}, shared, {});
  EXPECT_EQ(here.records(), shared.records());
  EXPECT_EQ(here.encoded(), 0u);
  EXPECT_EQ(shared.encoded(), workers_ ? 10u : 0u);
  EXPECT_EQ(shared.summarized(), workers_ ? 40u : 0u);
}

// The records of a run step by step.
std::vector<Record> streamed_records(const DataLoader& loader) {
  std::vector<Record> records;
  const std::vector<StreamedStep> steps = run_by_hand(streaming_model(), loader);
  for (std::size_t i = 0; i < steps.size(); ++i)
    records.push_back(
        {{i}, contents_of({.outputs = steps[i].outputs, .positions = {}, .labels = {loader.sample(i).label}})});
  return records;
}

TEST_P(EveryExecutor, FeedsStatesBackAndResetsThemForEverySequence) {
  for (const std::vector<std::size_t>& lengths :
       {std::vector<std::size_t>{}, std::vector<std::size_t>{3}, std::vector<std::size_t>{1, 20, 2, 37}}) {
    use(streaming_loader(60, lengths));
    program_->model = streaming_model();
    Recorder recorder;
    open()->run({.positions = first_positions(60)}, recorder, {});
    EXPECT_EQ(recorder.records(), streamed_records(program_->loader));
  }
}

TEST_P(EveryExecutor, ContinuesSequencesInTheNextPass) {
  use(streaming_loader(60, {20}));
  program_->model = streaming_model();
  const auto session = open();
  Recorder recorder;
  session->run({.positions = first_positions(27)}, recorder, {});
  std::vector<std::size_t> rest = first_positions(60);
  rest.erase(rest.begin(), rest.begin() + 27);
  session->run({.positions = rest}, recorder, {});
  EXPECT_EQ(recorder.records(), streamed_records(program_->loader));
}

TEST_P(EveryExecutor, RefusesPartsOfSequencesWithAState) {
  use(streaming_loader(60, {20}));
  program_->model = streaming_model();
  Recorder recorder;
  EXPECT_THAT(message_of<DataError>([&] {
                open()->run({.positions = {0, 2}}, recorder, {});
              }),
              HasSubstr("sample 2 continues a sequence whose sample 1 did not run before it"));
}

TEST_P(EveryExecutor, RefusesBatchesAndShuffledSamplesWithAState) {
  const DataLoader loader = streaming_loader(60);
  use(loader.with({.batch_size = 4}));
  program_->model = streaming_model();
  EXPECT_THAT(message_of<ConfigError>([&] { open(); }), HasSubstr("dataloader.batch_size is 4; expected 1"));
  use(loader.with({.shuffle = true}));
  program_->model = streaming_model();
  EXPECT_THAT(message_of<ConfigError>([&] { open(); }), HasSubstr("set dataloader.sequence_length"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryExecutor,
                         testing::Values(Executors{0, 1}, Executors{0, 3}, Executors{1, 2}, Executors{2, 1},
                                         Executors{4, 1}, Executors{3, 2}));

TEST(BatchExecutor, UsesTheRequestedThreads) {
  const std::unique_ptr<BatchExecutor> executor = make_executor(nullptr);
  EXPECT_EQ(executor->threads(3), 3);
  EXPECT_GE(executor->threads(0), 1);
  WorkerThreads workers(2, [](int) -> OrderHandler { return {}; });
  const std::unique_ptr<BatchExecutor> coordinated = make_executor(&workers.coordinator());
  EXPECT_EQ(coordinated->threads(3), 3);
  EXPECT_EQ(coordinated->threads(0), workers.coordinator().all_threads()[0]);
}

TEST(BatchExecutor, RunsTheExampleOfItsHeader) {
  const Model model = row_model();
  const DataLoader loader = loader_of(rows(3));
  Recorder collector;
  const Observer observer;
  LocalExecutor executor;
  const std::unique_ptr<BatchSession> session = executor.open({.model = model, .loader = loader});
  session->run({.positions = {0, 1, 2}}, collector, observer);
  EXPECT_EQ(collector.samples(), 3u);
}

}  // namespace
}  // namespace lpot
