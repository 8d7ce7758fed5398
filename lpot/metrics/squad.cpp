// SquadF1 and SquadExactMatch, 0..100: the quality of answers to the questions of SQuAD v1.1.
//
// The outputs come from the postprocessing transform SquadV1: an answer per sample as text (core/text_tensor.h) and its
// score, [count]. The label of a sample has several texts: the id of the question, then all correct answers. If several
// samples belong to one question, the answer with the highest score is used (of equals, the alphabetically first), so
// partial results can be merged at any sample. Questions without samples are not counted.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "lpot/core/text_tensor.h"
#include "lpot/metrics/kinds.h"
#include "lpot/metrics/squad_score.h"

namespace lpot {
namespace {

struct Given {
  double score = 0;
  std::string text;
  std::vector<std::string> expected;

  bool is_surer_than(const Given& other) const {
    return score != other.score ? score > other.score : text < other.text;
  }
};
using Questions = std::map<std::string, Given>;  // by id

void add(Questions& all, const std::string& id, const Given& given) {
  const auto [place, is_new] = all.emplace(id, given);
  if (!is_new && given.is_surer_than(place->second)) place->second = given;
}

class SquadMetric : public Metric {
 public:
  using Result = double (SquadScore::*)() const;
  SquadMetric(std::string name, Result which) : name_(std::move(name)), which_(which) {}

  void update(const std::vector<Tensor>& outputs, const std::vector<Tensor>& labels) override {
    check(outputs, labels.size());
    const std::vector<std::string> answers = to_texts(outputs[0]);
    Questions batch;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      std::vector<std::string> label = holds_texts(labels[i]) ? to_texts(labels[i]) : std::vector<std::string>{};
      if (label.size() < 2)
        throw DataError(name_,
                        fmt::format("the label of sample {} of the batch is {}, expected the id of a question and its "
                                    "answers as texts",
                                    i, labels[i].empty() ? "missing" : labels[i].describe()));
      const std::string id = label.front();
      label.erase(label.begin());
      const double score = outputs[1].value_at(i);
      add(batch, id, {std::isnan(score) ? -INFINITY : score, answers[i], std::move(label)});
    }
    for (const auto& [id, given] : batch) add(questions_, id, given);
  }

  void merge(const Metric& other) override {
    const auto& same = same_kind<SquadMetric>(other, name_);
    if (same.name_ != name_) throw Error(name_, "cannot be merged with another metric");
    for (const auto& [id, given] : same.questions_) add(questions_, id, given);
  }

  double result() const override {
    SquadScore score;
    for (const auto& [id, given] : questions_) score.count(given.text, given.expected);
    if (questions_.empty()) throw DataError(name_, "no questions were evaluated; check that the data set is not empty");
    return (score.*which_)();
  }

  std::unique_ptr<Metric> fresh() const override { return std::make_unique<SquadMetric>(name_, which_); }

 private:
  void check(const std::vector<Tensor>& outputs, std::size_t count) const {
    if (outputs.size() < 2 || !holds_texts(outputs[0]))
      throw DataError(name_, fmt::format("the first output is {}, expected answers as texts; add the postprocessing "
                                         "transform SquadV1 {{label_file, vocab_file}}, which converts logits to texts",
                                         outputs.empty() ? "missing" : outputs[0].describe()));
    if (outputs[0].shape()[0] != count || outputs[1].size() != count)
      throw DataError(name_, fmt::format("{} answers with {} scores for {} samples; expected equal numbers",
                                         outputs[0].shape()[0], outputs[1].size(), count));
  }

  std::string name_;
  Result which_;
  Questions questions_;
};

}  // namespace

MetricKind squad_f1_metric() {
  return {{.name = "SquadF1",
           .summary = "F1 over the words of SQuAD answers, 0..100; needs the postprocessing transform SquadV1"},
          [](const Component&) -> std::unique_ptr<Metric> {
            return std::make_unique<SquadMetric>("SquadF1", &SquadScore::f1);
          }};
}

MetricKind squad_exact_match_metric() {
  return {
      {.name = "SquadExactMatch",
       .summary = "percentage of SQuAD answers that match exactly, 0..100; needs the postprocessing transform SquadV1"},
      [](const Component&) -> std::unique_ptr<Metric> {
        return std::make_unique<SquadMetric>("SquadExactMatch", &SquadScore::exact_match);
      }};
}

}  // namespace lpot
