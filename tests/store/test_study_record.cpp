// StudyRecord reads back what StudyWriter wrote, and reads stores of version 0.1.
#include "lpot/store/study_record.h"

#include <gmock/gmock.h>

#include "lpot/core/error.h"
#include "lpot/core/json.h"
#include "tests/support/files.h"
#include "tests/support/plans.h"

namespace lpot {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StudyRecordTest : public testing::Test {
 protected:
  std::unique_ptr<Store> store_ = create_memory_store();
  StudyId id_ = store_->create_study({"net", "1234", "data", "{}"});
  StudyWriter record_{*store_, id_};
};

TEST_F(StudyRecordTest, ReturnsNothingForValuesThatWereNotStored) {
  EXPECT_EQ(record_.baseline(), std::nullopt);
  EXPECT_EQ(record_.baseline_notes(), std::nullopt);
  EXPECT_EQ(record_.statistics({}), std::nullopt);
  EXPECT_EQ(record_.kernel_variants(), std::nullopt);
  EXPECT_EQ(record_.seconds_before_trials(), std::nullopt);
  EXPECT_FALSE(record_.about());
  EXPECT_FALSE(record_.end(1));
  EXPECT_FALSE(record_.diagnosis());
  EXPECT_THAT(record_.ops(), IsEmpty());
  EXPECT_THAT(record_.trials(), IsEmpty());
  EXPECT_THAT(record_.probes(), IsEmpty());
}

TEST_F(StudyRecordTest, ReadsBackMeasurementsFromBeforeTheTrials) {
  record_.set_baseline(measured(0.91));
  record_.set_baseline_notes("notes");
  record_.set_statistics({100, {}}, "hundred");
  Recipes rescaling;
  rescaling.set("cross_layer_equalization", true);
  record_.set_statistics({100, rescaling}, "equalized");
  KernelVariantChoice variants;
  variants.times["fc"] = {3, 2, 1};
  variants.variants["fc"] = KernelVariant::Convolution;
  record_.set_kernel_variants(variants);
  record_.set_seconds_before_trials(2.5);
  EXPECT_EQ(record_.baseline(), measured(0.91));
  EXPECT_EQ(record_.baseline_notes(), "notes");
  EXPECT_EQ(record_.statistics({100, {}}), "hundred");
  EXPECT_EQ(record_.statistics({100, rescaling}), "equalized");
  EXPECT_EQ(record_.kernel_variants(), variants);
  EXPECT_DOUBLE_EQ(*record_.seconds_before_trials(), 2.5);
}

TEST_F(StudyRecordTest, KeepsTheFirstValue) {
  record_.set_seconds_before_trials(2.5);
  record_.set_seconds_before_trials(9);
  EXPECT_DOUBLE_EQ(*record_.seconds_before_trials(), 2.5);
}

TEST_F(StudyRecordTest, ReadsBackTheValuesOfReports) {
  StudyAbout about{.model = "net.onnx", .format = "onnx", .metric = "topk 1", .objective = Objective::ModelSize};
  about.goal = {.baseline = 0.9, .tolerance = 0.02, .relative = false};
  about.machine = {"a CPU", "avx2", 2};
  record_.set_about(about);
  record_.set_ops({{"conv", "Convolution"}, {"fc", "MatMul", "The configuration keeps it in fp32."}});
  record_.set_end(3, {"the goal is met", "best/model.xml", 1234});
  OpDiagnosis op{.op = "conv", .type = "Convolution", .tensor = "x", .noise = 0.1};
  record_.set_diagnosis({op}, {{.tensor = "x", .op = "conv", .algorithm = "kl", .counts = {1, 2}}});
  ASSERT_TRUE(record_.about());
  EXPECT_EQ(to_json(*record_.about()), to_json(about));
  ASSERT_THAT(record_.ops(), SizeIs(2));
  EXPECT_EQ(record_.ops()[1].fixed_because, "The configuration keeps it in fp32.");
  ASSERT_TRUE(record_.end(3));
  EXPECT_EQ(record_.end(3)->model_bytes, 1234u);
  EXPECT_FALSE(record_.end(4)) << "no run of the study ended after four trials";
  ASSERT_TRUE(record_.diagnosis());
  EXPECT_EQ(record_.diagnosis()->ops[0].op, op);
  EXPECT_THAT(record_.diagnosis()->ops[0].findings, SizeIs(1));
  EXPECT_EQ(record_.diagnosis()->tensors[0].counts, (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(StudyRecordTest, TheLastRunDeterminesTheEnd) {
  const StudyEnd stopped{"it was interrupted", "", 0}, met{"the goal is met", "best/model.xml", 1234};
  for (const StudyEnd& end : {stopped, stopped, met, met, stopped, met}) {
    record_.set_end(3, end);
    EXPECT_EQ(record_.end(3), end);
  }
  EXPECT_FALSE(record_.end(4));
}

TEST_F(StudyRecordTest, AnExactScoreReplacesTheEstimateOfItsTrial) {
  Measurement estimate = measured(0.8);
  estimate.complete = false;
  record_.append(trial(1, estimate));
  record_.update_score(1, measured(0.85));
  EXPECT_EQ(record_.trials().at(0).result, measured(0.85));
  EXPECT_THROW(record_.update_score(2, measured(0.9)), StoreError);
}

TEST_F(StudyRecordTest, ReadsExactScoresThatVersion01StoredSeparately) {
  Measurement estimate = measured(0.8);
  estimate.complete = false;
  record_.append(trial(1, estimate));
  record_.append(trial(2, measured(0.7)));
  store_->put(id_, "complete score 1", to_json(measured(0.85)));
  EXPECT_EQ(record_.trials().at(0).result, measured(0.85));
  EXPECT_EQ(record_.trials().at(1).result, measured(0.7));
}

TEST_F(StudyRecordTest, ReadsProbesBackInOrder) {
  for (std::size_t i = 1; i <= 3; ++i) {
    Probe probe{{}, 0.1 * static_cast<double>(i), 1};
    probe.before_trial = i;
    record_.append(probe, i);
  }
  ASSERT_THAT(record_.probes(), SizeIs(3));
  EXPECT_EQ(record_.probes()[2].before_trial, 3u);
}

TEST_F(StudyRecordTest, DamagedValuesAreStoreErrors) {
  for (const char* key : {"about", "ops", "diagnosis", "end 1"}) {
    const StudyId study = store_->create_study({"net", "1234", "data", "{}"});
    store_->put(study, key, "[{\"goal\": 1");
    const StudyRecord damaged(*store_, study);
    const auto read_all = [&] {
      damaged.about();
      damaged.ops();
      damaged.diagnosis();
      damaged.end(1);
    };
    EXPECT_THAT(message_of<StoreError>(read_all), HasSubstr("damaged")) << key;
  }
}

}  // namespace
}  // namespace lpot
