// Requirements that every Store must meet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lpot/core/error.h"
#include "lpot/store/store.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;

StudyIdentity identity(const std::string& model) {
  return {model, "fingerprint of " + model, "data", "{\"seed\":1978}"};
}

Plan sample_plan() {
  Plan plan;
  plan.ops["conv/1"] = {Precision::Int8,
                        {Algorithm::Kl, Granularity::PerTensor, Symmetry::Asymmetric, 8},
                        {Algorithm::MinMax, Granularity::PerChannel, Symmetry::Symmetric, 7}};
  plan.ops["conv/2"] = {};
  plan.sampling_size = 100;
  return plan;
}

Trial good_trial(std::size_t number) {
  Measurement measured;
  measured.accuracy = 0.1 + 0.2;  // not a short decimal
  measured.metrics = {{"topk 1", 0.1 + 0.2}, {"MSE", 1e-300}};
  measured.latency_ms = 1.0 / 3;
  measured.speedup = 2.5;
  measured.speedup_low = 2.4;
  measured.speedup_high = 2.6;
  measured.cores = 1;
  measured.size_bytes = 123456789012;
  measured.footprint_bytes = 7;
  measured.samples = 10000;
  return {number, sample_plan(), measured, "", 12.75};
}

Trial failed_trial(std::size_t number) {
  return {number, sample_plan(), std::nullopt, "[compile] it's \"broken\";\nline 2, \xc3\xa9", 0.5};
}

struct Kind {
  std::string name;
  std::function<std::unique_ptr<Store>(const TempFolder&)> open;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class EveryStore : public ::testing::TestWithParam<Kind> {
 protected:
  TempFolder folder_;
  std::unique_ptr<Store> store_ = GetParam().open(folder_);
};

TEST_P(EveryStore, IsEmptyAtFirst) {
  EXPECT_TRUE(store_->studies().empty());
  EXPECT_TRUE(store_->trials(1).empty());
  EXPECT_EQ(store_->get(1, "baseline"), std::nullopt);
}

TEST_P(EveryStore, ReadsTrialsBackAsTheyWereWritten) {
  const StudyId study = store_->create_study(identity("a"));
  store_->append(study, good_trial(1));
  store_->append(study, failed_trial(2));
  EXPECT_EQ(store_->trials(study), (std::vector<Trial>{good_trial(1), failed_trial(2)}));
}

TEST_P(EveryStore, OrdersTrialsByNumber) {
  const StudyId study = store_->create_study(identity("a"));
  for (const std::size_t number : {10, 2, 1}) store_->append(study, good_trial(number));
  std::vector<std::size_t> numbers;
  for (const Trial& trial : store_->trials(study)) numbers.push_back(trial.number);
  EXPECT_THAT(numbers, ::testing::ElementsAre(1, 2, 10));
}

TEST_P(EveryStore, RejectsASecondTrialOfTheSameNumberAndKeepsTheFirst) {
  const StudyId study = store_->create_study(identity("a"));
  store_->append(study, good_trial(1));
  EXPECT_THAT(message_of<StoreError>([&] { store_->append(study, failed_trial(1)); }),
              HasSubstr("trial 1 of study 1 already exists"));
  EXPECT_EQ(store_->trials(study), std::vector<Trial>{good_trial(1)});
}

TEST_P(EveryStore, ReplacesTheScoreOfOneTrialOnly) {
  const StudyId study = store_->create_study(identity("a"));
  store_->append(study, good_trial(1));
  store_->append(study, good_trial(2));
  Measurement exact = *good_trial(1).result;
  exact.accuracy = 0.75;
  store_->update_score(study, 1, exact);
  Trial updated = good_trial(1);
  updated.result = exact;
  EXPECT_EQ(store_->trials(study), (std::vector<Trial>{updated, good_trial(2)}));
  EXPECT_THAT(message_of<StoreError>([&] { store_->update_score(study, 3, exact); }), HasSubstr("no trial 3"));
}

TEST_P(EveryStore, KeepsTheFirstValueOfAKey) {
  const StudyId study = store_->create_study(identity("a"));
  store_->put(study, "baseline", "first");
  store_->put(study, "baseline", "second");
  EXPECT_EQ(store_->get(study, "baseline"), "first");
  EXPECT_EQ(store_->get(study, "Baseline"), std::nullopt);
}

TEST_P(EveryStore, StoresArbitraryBytes) {
  const StudyId study = store_->create_study(identity("a"));
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  store_->put(study, "bytes", bytes);
  store_->put(study, "nothing", std::string_view());
  EXPECT_EQ(store_->get(study, "bytes"), bytes);
  EXPECT_EQ(store_->get(study, "nothing"), "");
}

TEST_P(EveryStore, SeparatesStudies) {
  const StudyId first = store_->create_study(identity("a")), second = store_->create_study(identity("b"));
  EXPECT_NE(first, second);
  store_->append(first, good_trial(1));
  store_->append(second, failed_trial(1));
  store_->put(first, "key", "of the first");
  EXPECT_EQ(store_->trials(first), std::vector<Trial>{good_trial(1)});
  EXPECT_EQ(store_->trials(second), std::vector<Trial>{failed_trial(1)});
  EXPECT_EQ(store_->get(second, "key"), std::nullopt);
  ASSERT_EQ(store_->studies().size(), 2u);
  EXPECT_EQ(store_->studies()[0].id, first);
  EXPECT_EQ(store_->studies()[0].identity, identity("a"));
  EXPECT_EQ(store_->studies()[1].identity, identity("b"));
}

TEST_P(EveryStore, ReadsBackANanScore) {
  const StudyId study = store_->create_study(identity("a"));
  Trial trial = good_trial(1);
  trial.result->accuracy = trial.result->metrics[1].second = std::numeric_limits<double>::quiet_NaN();
  store_->append(study, trial);
  const auto found = store_->trials(study);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(std::isnan(found[0].result->accuracy));
  EXPECT_TRUE(std::isnan(found[0].result->metrics[1].second));
}

INSTANTIATE_TEST_SUITE_P(
    Stores, EveryStore,
    ::testing::Values(Kind{"memory", [](const TempFolder&) { return create_memory_store(); }},
                      Kind{"sqlite", [](const TempFolder& folder) { return open_sqlite_store(folder / "lpot.db"); }}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lpot
