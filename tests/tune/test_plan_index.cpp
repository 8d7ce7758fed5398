// Plans are found by their keys, and what other studies know is read once.
#include "lpot/plan/plan_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lpot/core/error.h"
#include "lpot/strategies/common.h"
#include "lpot/strategies/kinds.h"
#include "lpot/tune/study.h"
#include "lpot/tune/study_cache.h"
#include "tests/support/files.h"
#include "tests/support/plans.h"

namespace lpot {
namespace {

TEST(PlanIndex, GivesEqualPlansOneKeyAndOthersAnother) {
  const SearchSpace space = space_of(3);
  const Plan plan = space.plan(space.model_choices.front());
  std::vector<Plan> different{plan, space.plan(space.model_choices.back()), with_fallback(plan, "conv1"),
                              with_fallback(plan, "conv2")};
  different.push_back(plan);
  different.back().recipes.set("cross_layer_equalization", true);
  different.push_back(plan);
  different.back().sampling_size = 100;
  different.push_back(plan);
  different.back().ops.at("conv1").variant = KernelVariant::Convolution;
  PlanIndex index;
  for (const Plan& one : different) index.add(key_of(one));
  for (std::size_t i = 0; i < different.size(); ++i) EXPECT_EQ(index.find(key_of(different[i])), i);
  EXPECT_EQ(index.find(key_of(with_fallback(plan, "conv3"))), std::nullopt);
}

TEST(PlanIndex, LooksAtNoMoreOfAnOpThanComparingDoes) {
  const SearchSpace space = space_of(2);
  Plan one = with_fallback(space.plan(space.model_choices.front()), "conv1"), two = one;
  two.ops.at("conv1").weight.bits = 7;  // of an op in fp32 it means nothing
  ASSERT_EQ(one, two);
  EXPECT_EQ(key_of(one), key_of(two));
  one.ops.at("conv2").weights_only = two.ops.at("conv2").weights_only = true;
  two.ops.at("conv2").activation.symmetry = Symmetry::Symmetric;
  one.ops.at("conv2").activation.symmetry = Symmetry::Asymmetric;
  ASSERT_EQ(one, two);
  EXPECT_EQ(key_of(one), key_of(two));
}

TEST(PlanIndex, KnowsTheKeyOfAChangeWithoutThePlan) {
  const SearchSpace space = space_of(4);
  const Plan plan = space.plan(space.model_choices.front());
  EXPECT_EQ(key_with_fallback(plan, key_of(plan), "conv3"), key_of(with_fallback(plan, "conv3")));
}

TEST(PlanIndex, KnowsTheKeyOfAPlanThatIsMadeOpByOp) {
  const SearchSpace space = space_of(3);
  Plan plan = space.plan(space.model_choices.front());
  plan.recipes.set("bias_correction", true);
  plan.sampling_size = 100;
  PlanKey key = key_of(Plan{{}, plan.recipes, plan.sampling_size});
  for (const OpSpace& op : space.ops) key = key.with(op.name, plan.ops.at(op.name));
  EXPECT_EQ(key, key_of(plan));
}

TEST(PlanIndex, AddsUpChangesOfSeveralOps) {
  const SearchSpace space = space_of(3);
  const Plan plan = space.plan(space.model_choices.front());
  const PlanKey one = key_with_fallback(plan, {}, "conv1"), two = key_with_fallback(plan, {}, "conv3");
  EXPECT_EQ(key_of(plan).with(one).with(two), key_of(with_fallback(with_fallback(plan, "conv1"), "conv3")));
}

TEST(Schemes, HaveTheKeysOfTheirPlansEachOnce) {
  SearchSpace space = space_of(3);
  space.sampling_sizes = {100, 500};
  space.ops[1].choices = {space.ops[1].choices.back()};  // fp32 alone
  const std::vector<WholeModelPlan> schemes = whole_model_plans(space);
  ASSERT_FALSE(schemes.empty());
  PlanIndex index;
  for (const WholeModelPlan& scheme : schemes) {
    EXPECT_EQ(scheme.key, key_of(scheme.plan(space)));
    EXPECT_GT(scheme.plan(space).int8_count(), 0u);
    EXPECT_EQ(index.find(scheme.key), std::nullopt);
    index.add(scheme.key);
  }
}

// Counts how often all trials of a study are read.
class CountingStore : public Store {
 public:
  explicit CountingStore(Store& store) : store_(store) {}
  StudyId create_study(const StudyIdentity& identity) override { return store_.create_study(identity); }
  std::vector<StudyEntry> studies() const override { return store_.studies(); }
  void append(StudyId study, const Trial& trial) override { store_.append(study, trial); }
  std::vector<Trial> trials(StudyId study) const override {
    ++reads;
    return store_.trials(study);
  }
  void update_score(StudyId study, std::size_t trial, const Measurement& score) override {
    store_.update_score(study, trial, score);
  }
  void put(StudyId study, const std::string& key, std::string_view bytes) override { store_.put(study, key, bytes); }
  std::optional<std::string> get(StudyId study, const std::string& key) const override {
    return store_.get(study, key);
  }

  mutable int reads = 0;

 private:
  Store& store_;
};

TEST(StudyCache, ReadsTheTrialsOfAnotherStudyOnceHoweverManyScoresAreAskedFor) {
  const auto memory = create_memory_store();
  CountingStore store(*memory);
  const StudyIdentity identity{"net", "1234", "data", "{}"};
  const StudyId other = store.create_study(identity), user = store.create_study(identity);
  const SearchSpace space = space_of(5);
  std::vector<Plan> plans{space.plan(space.model_choices.front())};
  for (int i = 1; i <= 5; ++i) plans.push_back(with_fallback(plans.front(), "conv" + std::to_string(i)));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    Trial one = trial(i + 1, measured(0.5 + 0.01 * static_cast<double>(i)));
    one.plan = plans[i];
    store.append(other, one);
  }
  StudyCache kept(store, user, identity, true);
  for (std::size_t i = 0; i < plans.size(); ++i)
    EXPECT_DOUBLE_EQ(kept.score(plans[i]).value().accuracy, 0.5 + 0.01 * static_cast<double>(i));
  EXPECT_EQ(kept.score(with_fallback(plans[1], "conv2")), std::nullopt);
  EXPECT_EQ(store.reads, 1);
}

TEST(Study, SaysSoWhenATrialIsMissingInTheStore) {
  const auto store = create_memory_store();
  const StudyId id = store->create_study({"net", "1234", "data", "{}"});
  store->append(id, trial(1, measured(0.5)));
  store->append(id, trial(3, measured(0.6)));
  StudyOptions options;
  options.space = space_of(2);
  Study study(*store, id, options);
  EXPECT_THAT(message_of<StoreError>([&] { study.run(*make_basic_strategy(), {}); }),
              testing::AllOf(testing::HasSubstr("trial 2 of study 1 is missing"), testing::HasSubstr("move it away")));
}

}  // namespace
}  // namespace lpot
