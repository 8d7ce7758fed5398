#include "lpot/report/study_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lpot/core/error.h"
#include "lpot/report/html.h"
#include "lpot/report/markdown.h"
#include "tests/support/files.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using OrderedJson = nlohmann::ordered_json;

const std::string kHostile = "</script><script>alert(1)</script>\xe2\x80\xa8 \"|`";

Measurement measured(double accuracy, double speedup) {
  Measurement made;
  made.accuracy = accuracy;
  made.metrics = {{"topk 1", accuracy}};
  made.latency_ms = 3 / speedup;
  made.speedup = speedup;
  made.speedup_low = 0.95 * speedup;
  made.speedup_high = 1.05 * speedup;
  made.size_bytes = 250000;
  return made;
}

Trial trial(std::size_t number, const std::vector<std::string>& int8, std::optional<Measurement> result) {
  Trial made;
  made.number = number;
  for (const std::string& name : {std::string("conv"), std::string("fc"), std::string("kept"), kHostile})
    made.plan.ops[name] = {};
  for (const std::string& name : int8) made.plan.ops[name].precision = Precision::Int8;
  made.result = std::move(result);
  if (!made.result) made.error = "[compile] " + kHostile;
  made.seconds = 2;
  return made;
}

// A study of four ops and four trials: all in int8 misses the goal, one fails, two meet it.
class StudyViewTest : public testing::Test {
 protected:
  void SetUp() override {
    id_ = store_->create_study({kHostile, "00ff", "data", R"({"tuning.strategy": "name=basic"})"});
    put("baseline", OrderedJson::parse(to_json(measured(0.9, 1))));
    put("about", {{"metric", "topk 1"},
                  {"objective", 0},
                  {"goal",
                   {{"baseline", 0.9},
                    {"tolerance", 0.01},
                    {"relative", true},
                    {"higher_is_better", true},
                    {"performance_only", false}}},
                  {"command", "lpot tune conf.yaml"},
                  {"machine", {{"cpu", "a CPU"}, {"class", "avx2"}, {"cores", 2}}},
                  {"versions", {{"lpot", "0.1.0"}, {"openvino", "2026"}}}});
    put("ops", {{{"name", "conv"}, {"type", "Convolution"}},
                {{"name", kHostile}, {"type", "MatMul"}},
                {{"name", "fc"}, {"type", "MatMul"}},
                {{"name", "kept"}, {"type", "MatMul"}, {"kept", "The configuration keeps it in fp32."}}});
    put("forms", {{"conv", {{"fp32_ms", 2.0}, {"plain_ms", 1.0}}},
                  {"fc", {{"fp32_ms", 0.5}, {"plain_ms", 0.75}, {"slower_in_int8", true}}}});
    store_->put(id_, "seconds_before_trials", "5");
    store_->append(id_, trial(1, {"conv", kHostile}, measured(0.8, 3.0)));
    store_->append(id_, trial(2, {"conv"}, std::nullopt));
    store_->append(id_, trial(3, {"conv"}, measured(0.9, 1.5)));
    store_->append(id_, trial(4, {"conv"}, measured(0.895, 2.0)));
    store_->put(id_, "probe 1", to_json(Probe{trial(1, {"conv"}, std::nullopt).plan, 0.25, 0.5, 3}));
  }

  void put(const std::string& key, const OrderedJson& json) { store_->put(id_, key, json.dump()); }

  void put_diagnosis() {
    put("diagnosis", {{{"op", "conv"}, {"noise", 0.001}, {"decibels", 30}, {"findings", OrderedJson::array()}},
                      {{"op", kHostile},
                       {"noise", 0.1},
                       {"decibels", 10},
                       {"findings", {{{"kind", "noise"}, {"text", "only 10 dB"}, {"yaml", "quantization: {}"}}}}}});
  }

  OrderedJson view() const { return study_view(*store_, find_study(*store_, id_)); }

  std::unique_ptr<Store> store_ = create_memory_store();
  StudyId id_ = 0;
};

TEST_F(StudyViewTest, HasTheBestTrialTheFrontAndTheTimeOfEachTrial) {
  const OrderedJson found = view();
  EXPECT_EQ(found["best"], 4) << "1 misses the goal, 3 is slower";
  EXPECT_EQ(found["front"], OrderedJson::array({1, 4, 3}));
  EXPECT_EQ(found["goal"]["met"], true);
  EXPECT_DOUBLE_EQ(found["goal"]["threshold"], 0.891);
  EXPECT_EQ(found["trials"][0]["at"], 7);
  EXPECT_EQ(found["probes"][0]["at"], 9.5);
  EXPECT_EQ(found["trials"][3]["at"], 13.5);
  EXPECT_EQ(found["seconds"], 13.5);
  EXPECT_EQ(found["trials"][2]["best_so_far"], 3);
  EXPECT_EQ(found["trials"][1]["error"], "[compile] " + kHostile);
}

TEST_F(StudyViewTest, HasTheChoiceOfEveryOpInEveryTrial) {
  const OrderedJson found = view();
  const auto choice = [&](std::size_t trial, std::size_t op) {
    return found["choices"][found["trials"][trial]["ops"][op].get<std::size_t>()].get<std::string>();
  };
  EXPECT_THAT(choice(0, 0), HasSubstr("int8: activation asym per_tensor minmax"));
  EXPECT_EQ(choice(0, 1), choice(0, 0));
  EXPECT_EQ(choice(3, 1), "fp32");
}

TEST_F(StudyViewTest, HasEveryRecipeThatIsOnWithItsValue) {
  Trial smoothed = trial(5, {"conv"}, measured(0.9, 2.5));
  smoothed.plan.recipes.set("smooth_quant", true);
  smoothed.plan.recipes.set("smooth_quant_alpha", 0.5);
  store_->append(id_, smoothed);
  EXPECT_THAT(view()["trials"][0]["recipes"], testing::IsEmpty());
  EXPECT_EQ(view()["trials"][4]["recipes"], (Json{"smooth_quant", "smooth_quant_alpha: 0.5"}));
  EXPECT_THAT(report_markdown(view()), HasSubstr("| smooth\\_quant, smooth\\_quant\\_alpha: 0.5 | best |"));
}

TEST_F(StudyViewTest, HasTheRangesOfEveryTrial) {
  Trial other = trial(5, {"conv"}, measured(0.9, 2.5));
  other.plan.ops.at("conv").activation.algorithm = Algorithm::Kl;
  store_->append(id_, other);
  EXPECT_THAT(view()["trials"][4]["ranges"].get<std::string>(), HasSubstr("activations: kl; weights: minmax"));
  EXPECT_THAT(report_markdown(view()), HasSubstr("| activations: kl; weights: minmax"));
}

TEST_F(StudyViewTest, HasTheRankedCandidatesAndShowsThoseThatWereNotTried) {
  Probe tried{.plan = trial(4, {"conv"}, std::nullopt).plan, .before_trial = 2, .level = 1, .loss = 0.02};
  Probe not_tried = tried, again = tried;
  not_tried.plan.ops.at("conv").activation.algorithm = Algorithm::Mse;
  not_tried.loss = 0.03;
  again.level = 2;
  again.loss = 0.006;
  again.loss_error = 0.002;
  again.used_samples = 425;
  store_->put(id_, "probe 2", to_json(tried));
  store_->put(id_, "probe 3", to_json(not_tried));
  store_->put(id_, "probe 4", to_json(again));
  const OrderedJson found = view();
  ASSERT_EQ(found["ranked"].size(), 2u);
  EXPECT_DOUBLE_EQ(found["ranked"][0]["estimated_accuracy"], 0.894);
  EXPECT_EQ(found["ranked"][0]["samples"], 425);
  EXPECT_EQ(found["ranked"][0]["trial"], 2) << "the first trial with this plan";
  EXPECT_TRUE(found["ranked"][1]["trial"].is_null());
  EXPECT_EQ(found["probes_text"],
            "4: 3 estimated the accuracy, 1 compared the outputs with fp32; all on a few samples");
  const std::string text = report_markdown(found);
  EXPECT_THAT(text, AllOf(HasSubstr("| 2 | failed | 0.8940 +- 0.002 |"), HasSubstr("## Ranked, not tried\n"),
                          HasSubstr("Probes ranked 2 candidates on a few samples. 1 of them became trials"),
                          HasSubstr("| 3 | f32 | 0.8700 +- 0 | 0 |"), HasSubstr("Probes: 4: 3 estimated")));
}

TEST_F(StudyViewTest, HasNoRankedCandidatesWithoutEstimates) {
  EXPECT_EQ(view()["ranked"], OrderedJson::array());
  EXPECT_THAT(report_markdown(view()), Not(HasSubstr("Ranked, not tried")));
}

TEST_F(StudyViewTest, SaysWhyEachOpFellBack) {
  put_diagnosis();
  const OrderedJson ops = view()["ops"];
  EXPECT_FALSE(ops[0].contains("why"));
  EXPECT_THAT(ops[1]["why"].get<std::string>(),
              AllOf(HasSubstr("Trial 1 had this op in int8 and reached 0.8000, which misses the goal."),
                    HasSubstr("Its expected noise is 10% of its signal (rank 1 of 2 by noise).")));
  EXPECT_EQ(ops[2]["why"], "It is slower in int8 on this CPU: 0.750 ms, not quantized 0.500 ms.");
  EXPECT_EQ(ops[3]["why"], "The configuration keeps it in fp32.");
  EXPECT_EQ(ops[0]["fp32_ms"], 2.0);
  EXPECT_EQ(ops[0]["int8_ms"], 1.0);
}

TEST_F(StudyViewTest, SaysWhyTheNoisiestOpInInt8StayedThere) {
  put_diagnosis();
  const OrderedJson found = view();
  EXPECT_THAT(found["ops"][0]["why_int8"].get<std::string>(),
              AllOf(HasSubstr("The fallback of other ops was enough"), HasSubstr("rank 2 of 2")));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(found["ops"][i].contains("why_int8")) << i;
  EXPECT_THAT(report_markdown(found), HasSubstr("Noisiest op in int8: conv. The fallback of other ops was enough"));

  store_->append(id_, trial(5, {"conv", kHostile, "fc"}, measured(0.9, 4.0)));
  EXPECT_THAT(view()["ops"][1]["why_int8"].get<std::string>(), HasSubstr("No fallback was needed"));
}

TEST_F(StudyViewTest, AnEstimateIsMarkedAsOne) {
  Measurement estimate = measured(0.8, 3.0);
  estimate.complete = false;
  store_->update_score(id_, 1, estimate);
  EXPECT_THAT(view()["ops"][1]["why"].get<std::string>(),
              HasSubstr("reached 0.8000 (estimate), which misses the goal"));
  EXPECT_THAT(report_markdown(view()), HasSubstr("| 0.8000 (estimate) |"));
}

TEST_F(StudyViewTest, AStudyIsOpenUntilItsLastTrialEndedIt) {
  put("end 3", {{"reason", "max_trials is reached"}});
  EXPECT_EQ(view()["state"], "open") << "it went on after that";
  put("end 4", {{"reason", "the goal is met"}});
  EXPECT_EQ(view()["state"], "ended");
  EXPECT_EQ(view()["reason"], "the goal is met");
}

TEST_F(StudyViewTest, AnExactScoreReplacesAnEstimate) {
  store_->update_score(id_, 4, measured(0.5, 2.0));
  EXPECT_EQ(view()["best"], 3);
}

TEST_F(StudyViewTest, AnEstimateIsNotTheBestOfAnEndedStudy) {
  Measurement estimate = measured(0.99, 9.0);
  estimate.complete = false;
  store_->update_score(id_, 3, estimate);
  EXPECT_EQ(view()["best"], 3) << "as long as it may be measured exactly";
  put("end 4", {{"reason", "the timeout has expired"}});
  EXPECT_EQ(view()["best"], 4);
}

TEST_F(StudyViewTest, WorksWithoutTrials) {
  const StudyId fresh = store_->create_study({"net", "1", "", "{}"});
  const OrderedJson found = study_view(*store_, find_study(*store_, fresh));
  EXPECT_TRUE(found["best"].is_null());
  EXPECT_TRUE(found["baseline"].is_null());
  EXPECT_THAT(report_markdown(found), HasSubstr("# net, study 2"));
}

TEST_F(StudyViewTest, TheLastStudyIsTheDefaultAndAnUnknownOneIsAnError) {
  EXPECT_EQ(find_study(*store_, 0).id, id_);
  EXPECT_THAT(message_of<StoreError>([&] { find_study(*store_, 7); }),
              HasSubstr("there is no study 7; this workspace has 1"));
  EXPECT_THAT(message_of<StoreError>([&] { find_study(*create_memory_store(), 0); }),
              HasSubstr("there is no study in this workspace yet"));
}

TEST_F(StudyViewTest, TheDefaultIsTheLastStudyThatHasABaseline) {
  const StudyId empty = store_->create_study({"net", "1", "", "{}"});
  EXPECT_EQ(find_study(*store_, 0).id, id_) << "the last run failed before it measured anything";
  EXPECT_EQ(find_study(*store_, empty).id, empty);
  const auto other = create_memory_store();
  const StudyId only = other->create_study({"net", "1", "", "{}"});
  EXPECT_EQ(find_study(*other, 0).id, only);
}

TEST_F(StudyViewTest, ReportsADamagedStore) {
  store_->put(id_, "tensors", "{]");
  EXPECT_THAT(message_of<StoreError>([&] { view(); }), HasSubstr("'tensors' of study 1 is damaged"));
}

TEST_F(StudyViewTest, EscapesNamesInTheHtml) {
  const std::string html = report_html(view());
  EXPECT_THAT(html, AllOf(Not(HasSubstr("alert(1)</script>")), Not(HasSubstr("\xe2\x80\xa8")), Not(HasSubstr("@HEAD@")),
                          Not(HasSubstr("@TAIL@")), Not(HasSubstr(" src=")), Not(HasSubstr("href=\"http"))));
  // What is between the marks is the view, to the letter.
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const auto start = html.find(begin) + begin.size();
  EXPECT_EQ(OrderedJson::parse(html.substr(start, html.find("</script>", start) - start)), view());
}

TEST_F(StudyViewTest, AcceptsAModelNamedLikeATemplateMark) {
  const StudyId fresh = store_->create_study({"@HEAD@ @TAIL@", "1", "", "{}"});
  const std::string html = report_html(study_view(*store_, find_study(*store_, fresh)));
  EXPECT_THAT(html, AllOf(HasSubstr("\"@HEAD@ @TAIL@\""), HasSubstr("<style>")));
}

TEST_F(StudyViewTest, MarkdownKeepsNamesInTheirCells) {
  put_diagnosis();
  const std::string text = report_markdown(view());
  EXPECT_THAT(text, AllOf(HasSubstr("| topk 1 | 0.9000 | 0.8950 |"), HasSubstr("(2.00 x faster (1.90-2.10))"),
                          HasSubstr("| 2.00 x (1.90-2.10) |"), HasSubstr("fp32 ms, same run"),
                          HasSubstr("\\<script\\>alert(1)"), HasSubstr("\"\\|\\`"), HasSubstr("`quantization: {}`"),
                          HasSubstr("`lpot tune conf.yaml`"), Not(HasSubstr("<script>"))));
}

TEST(EmbeddedJson, TakesNamesThatAreNotUtf8) { EXPECT_EQ(embedded_json({{"a", "\xff<"}}), R"({"a":"\ufffd\u003c"})"); }

}  // namespace
}  // namespace lpot
