// How the models of a study are scored: with data and metrics, by a program of the user's, ...
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/evaluate/evaluate.h"
#include "lpot/model/model.h"

namespace lpot {

class Evaluator {
 public:
  virtual ~Evaluator() = default;

  virtual Score baseline(const Model& fp32, const Observer&) = 0;
  virtual Score score(const Model&, const Observer&) = 0;
  // After a resume, in place of `baseline`: what `score` compares with is made again.
  virtual void prepare(const Model& /*fp32*/, const Observer&) {}

  virtual std::string metric() const = 0;  // the name of the one that is tuned for
  virtual bool higher_is_better() const { return true; }
  virtual bool compares_with_fp32() const { return false; }  // the fp32 model's own score is an error of 0
  virtual std::string identity() const = 0;                  // of the data: a study is resumed with the same only
};

// Runs the model over the loader's data and counts with the metrics; the first is the one that is tuned for.
class DataEvaluator : public Evaluator {
 public:
  DataEvaluator(DataLoader, std::vector<NamedMetric>, EvaluateOptions = {});

  Score baseline(const Model& fp32, const Observer&) override;
  Score score(const Model&, const Observer&) override;
  void prepare(const Model& fp32, const Observer&) override;
  std::string metric() const override { return metrics_.front().name; }
  bool higher_is_better() const override { return metrics_.front().metric->higher_is_better(); }
  bool compares_with_fp32() const override { return metrics_.front().metric->labels_are_baseline(); }
  std::string identity() const override { return loader_.identity(); }

 private:
  DataLoader loader_;
  std::vector<NamedMetric> metrics_;
  EvaluateOptions options_;
  BaselineOutputs baseline_outputs_;
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
  std::string metric() const override { return "accuracy"; }
  std::string identity() const override { return "command " + command_; }

 private:
  Score run(const std::filesystem::path& model, const Observer&) const;

  std::string command_;
  bool gives_source_;
  std::filesystem::path folder_;  // of its own, gone with it
};

// What a program printed, as an accuracy: the number that its last line ends with. Throws DataError that shows the
// line.
double printed_accuracy(const std::string& output);

}  // namespace lpot
