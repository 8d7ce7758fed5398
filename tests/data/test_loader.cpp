#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "lpot/core/random.h"
#include "lpot/data/filter.h"
#include "lpot/data/loader.h"
#include "support.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

// Sample i is the number i, or the result of `make`.
class Counting : public Dataset {
 public:
  explicit Counting(std::size_t size, std::function<Sample(std::size_t)> make = nullptr)
      : size_(size), make_(std::move(make)) {}
  std::size_t size() const override { return size_; }
  std::string identity() const override { return "counting"; }
  Sample at(std::size_t index) const override {
    ++reads;
    if (make_) return make_(index);
    return number(index);
  }
  static Sample number(std::size_t index) {
    return {{Tensor::from<float>({1}, {static_cast<float>(index)})},
            Tensor::scalar<std::int64_t>(static_cast<int>(index))};
  }

  mutable std::atomic<std::size_t> reads = 0;

 private:
  std::size_t size_;
  std::function<Sample(std::size_t)> make_;
};

DataLoader counting_loader(std::size_t size, LoaderOptions options) {
  return DataLoader(std::make_shared<Counting>(size), {}, std::move(options));
}

std::vector<int> numbers_of(BatchStream stream) {
  std::vector<int> numbers;
  while (auto batch = stream.next())
    for (const Tensor& label : batch->labels) numbers.push_back(static_cast<int>(label.value_at(0)));
  return numbers;
}

std::vector<std::size_t> batch_sizes(const DataLoader& loader) {
  std::vector<std::size_t> sizes;
  for (auto batches = loader.read(); auto batch = batches.next();) sizes.push_back(batch->count());
  return sizes;
}

std::vector<int> first_numbers(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

class LoaderTest : public ::testing::TestWithParam<int> {};  // by the number of workers

INSTANTIATE_TEST_SUITE_P(Workers, LoaderTest, ::testing::Values(0, 1, 4));

TEST_P(LoaderTest, ReturnsEverySampleInOrder) {
  const auto dataset = std::make_shared<Counting>(200, [](std::size_t index) {
    if (index % 16 == 0) std::this_thread::sleep_for(1ms);  // so that workers finish out of order
    return Counting::number(index);
  });
  const DataLoader loader(dataset, {}, {.batch_size = 3, .workers = GetParam(), .prefetch = 3});
  EXPECT_EQ(numbers_of(loader.read()), first_numbers(200));
  EXPECT_EQ(dataset->reads, 200u);
}

TEST_P(LoaderTest, StacksInputsAndReturnsSeparateLabels) {
  auto batches = counting_loader(5, {.batch_size = 3, .workers = GetParam()}).read();
  const auto first = batches.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->inputs.at(0).describe(), "f32 [3,1]");
  const auto second = batches.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->first, 3u);
  EXPECT_THAT(values_of<float>(second->inputs.at(0)), ElementsAre(3, 4));
  EXPECT_EQ(second->count(), 2u);
  EXPECT_FALSE(batches.next());
  EXPECT_FALSE(batches.next());
}

TEST_P(LoaderTest, ThrowsAnErrorAtItsPositionAndContinues) {
  const auto dataset = std::make_shared<Counting>(4, [](std::size_t index) -> Sample {
    if (index == 1) throw DataError("Counting", "sample 1 is damaged");
    return Counting::number(index);
  });
  auto batches = DataLoader(dataset, {}, {.workers = GetParam()}).read();
  EXPECT_EQ(batches.next()->labels[0].value_at(0), 0);
  EXPECT_THAT(message_of<DataError>([&] { batches.next(); }), HasSubstr("sample 1 is damaged"));
  EXPECT_EQ(batches.next()->labels[0].value_at(0), 2);
  EXPECT_EQ(batches.next()->labels[0].value_at(0), 3);
  EXPECT_FALSE(batches.next());
}

TEST_P(LoaderTest, NamesTheSamplesOfABatchThatDiffer) {
  const auto dataset = std::make_shared<Counting>(3, [](std::size_t index) {
    return Sample{{Tensor(ElementType::U8, {index == 2 ? 5u : 4u})}, {}};
  });
  auto batches = DataLoader(dataset, {}, {.batch_size = 3, .workers = GetParam()}).read();
  EXPECT_THAT(message_of<DataError>([&] { batches.next(); }),
              AllOf(HasSubstr("samples 0 and 2 of one batch have different types or shapes: u8 [4] and u8 [5]"),
                    HasSubstr("batch_size 1")));
}

TEST_P(LoaderTest, PassesTheSameSeedWithAnyNumberOfWorkers) {
  const Transform seed_as_label{"seed", [](Sample sample, std::uint64_t seed) {
                                  sample.label = Tensor::scalar<std::int64_t>(static_cast<std::int64_t>(seed >> 40));
                                  return sample;
                                }};
  const auto seeds = [&](LoaderOptions options) {
    return numbers_of(DataLoader(std::make_shared<Counting>(50), {seed_as_label}, std::move(options)).read());
  };
  const auto alone = seeds({.workers = 0});
  EXPECT_EQ(seeds({.batch_size = 7, .workers = GetParam()}), alone);
  EXPECT_EQ(std::set<int>(alone.begin(), alone.end()).size(), 50u);
  EXPECT_NE(seeds({.seed = 5, .workers = GetParam()}), alone);
}

TEST_P(LoaderTest, OutlivesTheLoader) {
  auto loader = std::make_unique<DataLoader>(counting_loader(20, {.batch_size = 4, .workers = GetParam()}));
  auto batches = loader->read();
  loader.reset();
  BatchStream moved = std::move(batches);
  EXPECT_EQ(numbers_of(std::move(moved)), first_numbers(20));
}

TEST_P(LoaderTest, ReadsTheGivenPositionsOnly) {
  const DataLoader loader = counting_loader(10, {.batch_size = 2, .workers = GetParam()});
  EXPECT_THAT(numbers_of(loader.read({7, 1, 3})), ElementsAre(7, 1, 3));
  EXPECT_EQ(loader.read({7, 1}).next()->first, 7u);
  EXPECT_TRUE(numbers_of(loader.read(std::vector<std::size_t>{})).empty());
  EXPECT_THAT(message_of<DataError>([&] { loader.read({10}); }),
              HasSubstr("position 10 does not exist; the loader has 10 samples"));
}

// Two workers of one stream. The first one to read blocks in its first sample until the other one has ended.
class TwoWorkers {
 public:
  Sample read(std::size_t index) {
    thread_local Ending ending;
    std::unique_lock lock(mutex_);
    if (first_ == std::thread::id()) first_ = std::this_thread::get_id();
    if (first_ == std::this_thread::get_id()) {
      ++first_reads_;
      changed_.notify_all();
      changed_.wait(lock, [&] { return second_ended_; });
    } else {
      ending.workers = this;
      second_reads_ = true;
      changed_.notify_all();
    }
    return Counting::number(index);
  }

  void wait_until_both_read() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return first_reads_ > 0 && second_reads_; });
  }

  std::size_t first_reads() const { return first_reads_; }

 private:
  // Runs when the second worker's thread ends.
  struct Ending {
    ~Ending() {
      if (!workers) return;
      const std::lock_guard lock(workers->mutex_);
      workers->second_ended_ = true;
      workers->changed_.notify_all();
    }
    TwoWorkers* workers = nullptr;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread::id first_;
  std::size_t first_reads_ = 0;
  bool second_reads_ = false, second_ended_ = false;
};

// A worker ends early only when the stream is dropped. Therefore, the first worker waits for that in the middle of a
// batch.
TEST(Subset, PartsHaveNoSampleInCommonAndAllSamplesTogether) {
  const auto data = std::make_shared<Counting>(50);
  const DataLoader first(select_subset(data, 0, 0.2), {}), rest(select_subset(data, 0.2, 1), {});
  std::vector<int> numbers = numbers_of(first.read()), others = numbers_of(rest.read());
  EXPECT_EQ(numbers.size(), 10u);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_NE(numbers.back(), 9) << "samples of all parts of the data";
  numbers.insert(numbers.end(), others.begin(), others.end());
  EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), 50u);
  EXPECT_NE(first.identity(), rest.identity());
  EXPECT_THAT(message_of<DataError>([&] { select_subset(data, 0, 0.001); }),
              HasSubstr("subset [0, 0.001] of 50 samples has no sample"));
}

TEST(SelectReadable, OnlySkipsErrorsOfTheData) {
  const auto data = std::make_shared<Counting>(20, [](std::size_t index) {
    if (index % 5 == 3) throw DataError("counting", "broken");
    return Counting::number(index);
  });
  const auto readable = select_readable(data);
  EXPECT_EQ(readable->size(), 16u);
  EXPECT_THAT(readable->skipped(),
              ElementsAre("[counting] broken", "[counting] broken", "[counting] broken", "[counting] broken"));
  const auto failing = std::make_shared<Counting>(3, [](std::size_t) -> Sample { throw CallerError("x", "no"); });
  EXPECT_THROW(select_readable(failing), CallerError);
}

TEST(Loader, ReadsNoMoreSamplesOfABatchWhenTheStreamIsDropped) {
  TwoWorkers workers;
  const auto dataset = std::make_shared<Counting>(1000, [&](std::size_t index) { return workers.read(index); });
  {
    auto batches = DataLoader(dataset, {}, {.batch_size = 100, .workers = 2}).read();
    workers.wait_until_both_read();
  }
  EXPECT_EQ(workers.first_reads(), 1u);
}

TEST(Loader, ReadsNothingWithoutWorkersUntilItIsAsked) {
  const auto dataset = std::make_shared<Counting>(1000);
  { auto batches = DataLoader(dataset, {}, {.batch_size = 100, .workers = 0}).read(); }
  EXPECT_EQ(dataset->reads, 0u);
}

TEST(Loader, PreparesNoMoreThanThePrefetchAhead) {
  constexpr std::size_t kPrefetch = 3;
  std::atomic<std::size_t> asked_for = 0, most_ahead = 0;
  const auto dataset = std::make_shared<Counting>(100, [&](std::size_t index) {
    const std::size_t batches = index / 2 + 1, asked = asked_for;
    const std::size_t ahead = batches > asked ? batches - asked : 0;
    for (std::size_t most = most_ahead; ahead > most && !most_ahead.compare_exchange_weak(most, ahead);) continue;
    return Counting::number(index);
  });
  auto batches = DataLoader(dataset, {}, {.batch_size = 2, .workers = 2, .prefetch = kPrefetch}).read();
  while (dataset->reads < 2 * kPrefetch)
    std::this_thread::yield();        // as much is prepared before the first is asked for
  std::this_thread::sleep_for(50ms);  // and no more, if workers have the time
  ASSERT_EQ(dataset->reads, 2 * kPrefetch);
  do ++asked_for;
  while (batches.next());
  EXPECT_EQ(most_ahead, kPrefetch);
}

TEST(Loader, DropsAShortLastBatchOnlyWhenAsked) {
  EXPECT_THAT(batch_sizes(counting_loader(7, {.batch_size = 3})), ElementsAre(3, 3, 1));
  EXPECT_THAT(batch_sizes(counting_loader(7, {.batch_size = 3, .drop_last = true})), ElementsAre(3, 3));
  EXPECT_EQ(counting_loader(7, {.batch_size = 3, .drop_last = true}).size(), 6u);
}

TEST(Loader, LimitSelectsTheFirstSamplesOfTheOrder) {
  const auto all = numbers_of(counting_loader(50, {.shuffle = true}).read());
  const auto some = numbers_of(counting_loader(50, {.shuffle = true, .limit = 5}).read());
  EXPECT_EQ(some, std::vector<int>(all.begin(), all.begin() + 5));
  EXPECT_EQ(counting_loader(3, {.limit = 5}).size(), 3u);
}

TEST(Loader, ShufflesIntoOneOrderPerSeed) {
  const auto order = [](std::uint64_t seed) {
    return numbers_of(counting_loader(100, {.shuffle = true, .seed = seed}).read());
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  auto sorted = order(1);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, first_numbers(100));
}

TEST(Loader, HasAnIdentityThatDependsOnOrderAndTransforms) {
  const DataLoader plain = counting_loader(10, {});
  EXPECT_EQ(plain.identity(), plain.with({.batch_size = 4, .workers = 3}).identity());
  EXPECT_NE(plain.identity(), plain.with({.shuffle = true}).identity());
  EXPECT_NE(plain.identity(), plain.with({.limit = 9}).identity());
  const Transform same{"Same", [](Sample sample, std::uint64_t) { return sample; }};
  EXPECT_NE(plain.identity(), DataLoader(std::make_shared<Counting>(10), {same}).identity());
}

TEST(Loader, NamesTheSampleThatATransformRejects) {
  const Transform picky{"Picky", [](Sample sample, std::uint64_t) -> Sample {
                          if (sample.label.value_at(0) == 3) throw DataError("Picky", "got a three");
                          return sample;
                        }};
  const DataLoader loader(std::make_shared<Counting>(5), {picky});
  EXPECT_THAT(message_of<DataError>([&] { loader.sample(3); }), HasSubstr("sample 3: [Picky] got a three"));
}

TEST(Loader, NeedsABatchSize) { EXPECT_THROW(counting_loader(1, {.batch_size = 0}), ConfigError); }

TEST(Shuffled, IsTheSameOnEveryPlatform) {
  EXPECT_THAT(shuffled(10, 1978), ElementsAre(9, 2, 1, 7, 0, 4, 8, 5, 6, 3));
  EXPECT_TRUE(shuffled(0, 1).empty());
}

TEST(Mix, IsSplitmix64) {
  EXPECT_EQ(mix(0), 0xe220a8397b1dcdafull);  // the first output of the reference generator seeded with 0
}

// Counts how often each of its samples is read.
class CountingData : public Dataset {
 public:
  std::size_t size() const override { return 6; }
  Sample at(std::size_t index) const override {
    ++reads[index];
    return {{Tensor::from<float>({2}, {static_cast<float>(index), 0.5f}), Tensor::scalar<std::int32_t>(7)},
            index == 3 ? Tensor() : Tensor::scalar(static_cast<std::int64_t>(index))};
  }
  mutable std::array<std::atomic<int>, 6> reads{};
};

TEST(CachedLoader, ReadsEverySampleOnceAndReturnsTheSame) {
  TempFolder folder;
  struct Limits {
    std::size_t memory, disk;
    bool everything_fits;
  };
  // A sample has 20 bytes, the one without a label 12: all in memory, two in memory, none; and a file that is too
  // small.
  for (const Limits& limits :
       {Limits{1000, 0, true}, Limits{40, 1000, true}, Limits{0, 1000, true}, Limits{0, 90, false}}) {
    const auto data = std::make_shared<CountingData>();
    const DataLoader plain(data, {}, {.batch_size = 1, .workers = 2});
    const DataLoader cached = plain.cached({limits.memory, limits.disk, folder.path()});
    for (int pass = 0; pass < 3; ++pass) {
      auto batches = cached.read();
      for (std::size_t i = 0; i < 6; ++i) {
        const auto batch = batches.next();
        ASSERT_TRUE(batch);
        EXPECT_EQ(batch->inputs[0].value_at(0), static_cast<double>(i));
        EXPECT_EQ(batch->inputs[1].describe(), "i32 [1]");
        EXPECT_EQ(batch->labels[0].empty(), i == 3);
        if (i != 3) {
          EXPECT_EQ(batch->labels[0].value_at(0), static_cast<double>(i));
        }
      }
    }
    int reads = 0;
    for (const auto& each : data->reads) reads += each;
    if (limits.everything_fits) {
      EXPECT_EQ(reads, 6) << limits.memory << ' ' << limits.disk;
    } else {
      EXPECT_GT(reads, 6) << "what does not fit is read again";
      EXPECT_LT(reads, 18);
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "its file has no name";
}

TEST(CachedLoader, WorksWithoutAWritableFolder) {
  const auto data = std::make_shared<CountingData>();
  const DataLoader cached = DataLoader(data, {}, {.batch_size = 6}).cached({0, 1000, "/no/such/folder"});
  for (int pass = 0; pass < 2; ++pass) EXPECT_TRUE(cached.read().next());
  EXPECT_EQ(data->reads[5], 2);
}

TEST(CachedLoader, IsSharedByLoadersWithOtherOptionsUnlessTheSeedChanges) {
  const auto data = std::make_shared<CountingData>();
  const DataLoader cached = DataLoader(data, {}, {.batch_size = 6}).cached();
  cached.read().next();
  cached.with({.batch_size = 2}).read().next();
  EXPECT_EQ(data->reads[0], 1);
  cached.with({.batch_size = 6, .seed = 1}).read().next();
  EXPECT_EQ(data->reads[0], 2);
}

TEST(Loader, HasOneSequenceUnlessTheOptionsSetLengths) {
  EXPECT_THAT(counting_loader(6, {}).sequence_starts(), ElementsAre(0));
  EXPECT_THAT(counting_loader(6, {.sequence_lengths = {2}}).sequence_starts(), ElementsAre(0, 2, 4));
  EXPECT_THAT(counting_loader(6, {.sequence_lengths = {1, 3, 2}}).sequence_starts(), ElementsAre(0, 1, 4));
  EXPECT_THAT(counting_loader(6, {.sequence_lengths = {2}, .limit = 3}).sequence_starts(), ElementsAre(0, 2));
}

TEST(Loader, ShufflesWholeSequences) {
  const DataLoader loader = counting_loader(6, {.shuffle = true, .sequence_lengths = {1, 3, 2}});
  const auto order = numbers_of(loader.read());
  EXPECT_THAT(order, testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5));
  const auto at = [&](int number) { return std::find(order.begin(), order.end(), number) - order.begin(); };
  EXPECT_EQ(at(2), at(1) + 1);
  EXPECT_EQ(at(3), at(1) + 2);
  EXPECT_EQ(at(5), at(4) + 1);
  for (const int first : {0, 1, 4})
    EXPECT_THAT(loader.sequence_starts(), testing::Contains(static_cast<std::size_t>(at(first))));
  EXPECT_NE(order, first_numbers(6));
}

TEST(Loader, RefusesSequencesThatAreNotTheDataSet) {
  EXPECT_THAT(message_of<ConfigError>([] { counting_loader(7, {.sequence_lengths = {2}}); }),
              HasSubstr("sequence_length is 2, but the data set has 7 samples; expected a multiple of 2"));
  EXPECT_THAT(message_of<ConfigError>([] {
                counting_loader(7, {.sequence_lengths = {2, 4}});
              }),
              HasSubstr("the lengths of 2 sequences add up to 6, but the data set has 7 samples"));
}

TEST(Loader, HasAnIdentityThatDependsOnSequences) {
  const DataLoader plain = counting_loader(6, {});
  EXPECT_NE(plain.identity(), plain.with({.sequence_lengths = {2}}).identity());
}

}  // namespace
}  // namespace lpot
