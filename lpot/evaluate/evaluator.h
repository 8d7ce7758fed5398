// How the models of a study are scored: with data and metrics, by a program of the user's, ...
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/evaluate/evaluate.h"
#include "lpot/evaluate/evaluation_function.h"
#include "lpot/model/model.h"

namespace lpot {

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  virtual void expect_many() {}  // many models are going to be scored, so that it pays to keep what they share
  virtual void compile_with(Compilations&) {}  // must outlive it
  virtual Score baseline(const Model& fp32, const Observer&) = 0;
  virtual Score score(const Model&, const Observer&) = 0;
  // The same, but may end as soon as it is certain that the accuracy stays below `lowest`.
  virtual Score score_unless_below(double /*lowest*/, const Model& model, const Observer& observer) {
    return score(model, observer);
  }
  // After a resume, in place of `baseline`: what `score` compares with is made again.
  virtual void prepare(const Model& /*fp32*/, const Observer&) {}

  // What it knows of the models it scored, for a later run on the same model and data; "" when there is nothing.
  virtual std::string notes() const { return ""; }
  virtual void restore(const std::string& /*notes*/) {}  // throws StoreError when they are damaged

  virtual bool is_repeatable() const { return true; }  // scores hold for later studies; else only within one

  virtual const DataLoader* data() const { return nullptr; }  // that it runs models over; null: it has none

  virtual std::string metric() const = 0;  // the name of the one that is tuned for
  virtual bool higher_is_better() const { return true; }
  virtual bool compares_with_fp32() const { return false; }  // the fp32 model's own score is an error of 0
  virtual std::string identity() const = 0;                  // of the data: a study is resumed with the same only
};

// Runs the model over the loader's data and counts with the metrics; the first is the one that is tuned for. Where that
// one is a mean over samples, the fp32 model's and the first other model's judgements are kept: they decide in which
// order the models after them are evaluated, and when a verdict is certain.
class DataEvaluator : public Evaluator {
 public:
  DataEvaluator(DataLoader, std::vector<NamedMetric>, EvaluateOptions = {});

  void expect_many() override;
  void compile_with(Compilations& ahead) override { options_.ahead = &ahead; }
  Score baseline(const Model& fp32, const Observer&) override;
  Score score(const Model&, const Observer&) override;
  Score score_unless_below(double lowest, const Model&, const Observer&) override;
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

  DataLoader loader_;
  std::vector<NamedMetric> metrics_;
  EvaluateOptions options_;
  bool expects_many_ = false;
  BaselineOutputs baseline_outputs_;
  Judgements baseline_judgements_;  // empty: the metric does not judge samples
  Judgements first_judgements_;     // of the first model after the baseline; empty: none yet
};

// Runs a program for every model: `{model}` in the command is replaced by the model's file, and the last word of the
// last line it prints is the accuracy.
class CommandEvaluator : public Evaluator {
 public:
  // `gives_source`: the program gets the user's own file as the fp32 model. Otherwise, and for int8 models, it gets an
  // .xml file with its .bin that lasts as long as the command runs.
  CommandEvaluator(std::string command, bool gives_source);
  ~CommandEvaluator() override;

  Score baseline(const Model& fp32, const Observer&) override;
  Score score(const Model&, const Observer&) override;
  bool is_repeatable() const override { return false; }  // the program may be another one by then
  std::string metric() const override { return "accuracy"; }
  std::string identity() const override { return "command " + command_; }

 private:
  Score run(const std::filesystem::path& model, const Observer&) const;

  std::string command_;
  bool gives_source_;
  std::filesystem::path folder_;  // of its own, gone with it
};

// Asks a function of the caller's for every model. A failure of the function is a CallerError.
class CallerEvaluator : public Evaluator {
 public:
  CallerEvaluator(std::string name, EvaluationFunction);

  Score baseline(const Model& fp32, const Observer& observer) override { return ask({fp32, true, observer}); }
  Score score(const Model& model, const Observer& observer) override { return ask({model, false, observer}); }
  bool is_repeatable() const override { return false; }  // nobody knows what it will say the next time
  std::string metric() const override { return "accuracy"; }
  std::string identity() const override { return "function " + name_; }

 private:
  Score ask(const EvaluationRequest&) const;

  std::string name_;
  EvaluationFunction function_;
};

// What a program printed, as an accuracy: the number that its last line ends with. Throws DataError that shows the
// line.
double printed_accuracy(const std::string& output);

}  // namespace lpot
