// Scores the models of a study: with data and metrics, with the user's program, or with the caller's function.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/evaluate/evaluate.h"
#include "lpot/evaluate/evaluation_function.h"
#include "lpot/evaluate/loss_sample.h"
#include "lpot/model/model.h"

namespace lpot {

// A model of a search.
struct Candidate {
  Candidate(const Model& of, std::uint64_t its_plan = 0) : model(of), plan(its_plan) {}

  const Model& model;
  std::uint64_t plan;  // key of its plan: samples that were evaluated for an estimate are reused; 0: unknown
};

// A model whose accuracy is estimated from a few samples.
struct EstimateRequest {
  const Model& fp32;
  Candidate candidate;
  int level;  // 1, or 2 for twice as many samples
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  virtual void expect_many() {}  // call it if many models will be scored; shared data is then cached
  // Throws DataError if the metrics cannot judge the outputs of the model, or the labels. Runs one batch.
  virtual void check_metrics(const Model& /*fp32*/, const Observer&) const {}
  virtual void compile_with(Compilations&) {}  // reuses compilations; they must outlive this object
  virtual Score baseline(const Model& fp32, const Observer&) = 0;
  virtual Score score(const Model&, const Observer&) = 0;
  // The same, but may stop as soon as the accuracy is certain to stay below `lowest`.
  virtual Score score_unless_below(double /*lowest*/, const Candidate& candidate, const Observer& observer) {
    return score(candidate.model, observer);
  }
  // An estimate of the accuracy from a few samples; nullopt if only whole evaluations are possible.
  virtual std::optional<LossEstimate> estimate(const EstimateRequest&, const Observer&) { return std::nullopt; }
  // Called after a resume instead of `baseline`: computes what `score` compares with again.
  virtual void prepare(const Model& /*fp32*/, const Observer&) {}

  // What it learned about the models, for a later run with the same model and data; "" if nothing.
  virtual std::string notes() const { return ""; }
  virtual void restore(const std::string& /*notes*/) {}  // throws StoreError when they are damaged

  virtual bool is_repeatable() const { return true; }  // scores are valid in later studies; false: only within one

  virtual const DataLoader* data() const { return nullptr; }  // the data it runs models on; null: none

  virtual std::string metric() const = 0;  // the name of the tuning metric
  virtual bool higher_is_better() const { return true; }
  // True: the metric is an error against the fp32 model, whose own error is 0.
  virtual bool compares_with_fp32() const { return false; }
  virtual std::string identity() const = 0;  // of the data; a study can only be resumed with the same identity
};

// Runs the model on the loader's data and computes the metrics; the first is the tuning metric. If that metric is a
// mean over samples, the sample scores of the fp32 model and of the first candidate are stored. They determine in which
// order later candidates are evaluated and when their verdict is certain.
class DataEvaluator : public Evaluator {
 public:
  DataEvaluator(DataLoader, std::vector<NamedMetric>, EvaluateOptions = {});

  void expect_many() override;
  void check_metrics(const Model& fp32, const Observer&) const override;
  void compile_with(Compilations& ahead) override { options_.ahead = &ahead; }
  Score baseline(const Model& fp32, const Observer&) override;
  Score score(const Model&, const Observer&) override;
  Score score_unless_below(double lowest, const Candidate&, const Observer&) override;
  std::optional<LossEstimate> estimate(const EstimateRequest&, const Observer&) override;
  void prepare(const Model& fp32, const Observer&) override;
  std::string notes() const override;
  void restore(const std::string& notes) override;
  const DataLoader* data() const override { return &loader_; }
  std::string metric() const override { return metrics_.front().name; }
  bool higher_is_better() const override { return metrics_.front().metric->higher_is_better(); }
  bool compares_with_fp32() const override { return metrics_.front().metric->labels_are_baseline(); }
  std::string identity() const override { return loader_.identity(); }

 private:
  EvaluateOptions candidate_options() const;
  EvaluateOptions options_with_verdict(double lowest, const SampleScores& first) const;
  const EvaluatedSamples* known_samples(const Candidate&, const std::vector<std::size_t>& order) const;
  LossEstimate estimate_by_samples(const EstimateRequest&, const Observer&);
  LossEstimate estimate_by_subset(const EstimateRequest&, const Observer&);

  DataLoader loader_;
  std::vector<NamedMetric> metrics_;
  EvaluateOptions options_;
  bool expects_many_ = false;
  BaselineOutputs baseline_outputs_;
  SampleScores baseline_scores_;                         // empty: the metric has no sample scores
  SampleScores first_scores_;                            // of the first model after the baseline; empty: none yet
  std::map<std::uint64_t, EvaluatedSamples> estimated_;  // samples evaluated for estimates, by plan
  std::map<std::size_t, double> fp32_on_subset_;         // metric of the fp32 model, by size of the subset
};

// Runs a program for every model. `{model}` in the command is replaced by the model's file. The last number on the
// program's last output line is the accuracy.
class CommandEvaluator : public Evaluator {
 public:
  // `passes_source`: the program gets the user's own file as the fp32 model. Otherwise, and for int8 models, it gets an
  // .xml file with its .bin in a temporary folder. The files of the next model replace them.
  CommandEvaluator(std::string command, bool passes_source);
  ~CommandEvaluator() override;

  Score baseline(const Model& fp32, const Observer&) override;
  Score score(const Model&, const Observer&) override;
  bool is_repeatable() const override { return false; }  // the program may change between studies
  std::string metric() const override { return "accuracy"; }
  std::string identity() const override { return "command " + command_; }

 private:
  Score run(const std::filesystem::path& model, const Observer&) const;

  std::string command_;
  bool passes_source_;
  std::filesystem::path folder_;  // temporary; deleted with this object
};

// Calls the caller's function for every model. A failure of the function is a CallerError.
class CallerEvaluator : public Evaluator {
 public:
  CallerEvaluator(std::string name, EvaluationFunction);

  Score baseline(const Model& fp32, const Observer& observer) override { return call({fp32, true, observer}); }
  Score score(const Model& model, const Observer& observer) override { return call({model, false, observer}); }
  bool is_repeatable() const override { return false; }  // the function may return other results next time
  std::string metric() const override { return "accuracy"; }
  std::string identity() const override { return "function " + name_; }

 private:
  Score call(const EvaluationRequest&) const;

  std::string name_;
  EvaluationFunction function_;
};

// The accuracy in the output of a program: the number at the end of the last line. Throws DataError with the line.
double parse_accuracy(const std::string& output);

}  // namespace lpot
