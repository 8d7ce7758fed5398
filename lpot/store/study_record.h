// Typed access to the values of one study in a store. Only study_record.cpp knows their keys.
//
//   StudyWriter record(store, study);
//   if (!record.baseline()) record.set_baseline(measure_fp32());
//   for (const Trial& trial : record.trials()) std::cout << trial.number << ": " << trial.seconds << " s\n";
//
// A value that is already set does not change, so that a resumed run reads the measurements of the first run. Only the
// end of a study does: the last run determines it. Readers throw StoreError if a value is damaged. They return nothing
// (or an empty list) for values that an older version did not store.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lpot/plan/diagnosis.h"
#include "lpot/plan/goal.h"
#include "lpot/plan/kernel_variants.h"
#include "lpot/plan/trial.h"
#include "lpot/store/store.h"

namespace lpot {

// Identifies one set of calibration statistics.
struct StatisticsKey {
  std::size_t sampling_size = 0;  // 0: the configuration has only one sampling size
  Recipes rescaling = {};         // recipes that rescaled the model (rescaling_part in plan/recipes.h)

  auto operator<=>(const StatisticsKey&) const = default;
};

// The inference precision of a study's plans, and the speed of the model without int8 in it compared with f32.
struct PrecisionChoice {
  InferencePrecision inference_precision = InferencePrecision::F32;
  double unquantized_speedup = 1;

  bool operator==(const PrecisionChoice&) const = default;
};

// Model, goal, machine, versions and command of a study. Stored before the trials.
struct StudyAbout {
  std::string model;
  std::string format;
  std::string metric;
  Objective objective = Objective::Performance;
  Goal goal = {};
  std::string command = {};
  std::string started = {};
  struct Machine {
    std::string cpu, cpu_class;
    int cores = 0;
  } machine = {};
  struct Versions {
    std::string lpot, openvino;
  } versions = {};
};
nlohmann::ordered_json to_json(const StudyAbout&);

// An op of the study, in topological order.
struct StudyOp {
  std::string name;
  std::string type;
  std::string fixed_because = {};  // why the op must stay in fp32; "": it can run in int8
};

struct StudyEnd {
  std::string reason;
  std::string model;  // path of the saved model; "": none
  std::size_t model_bytes = 0;

  bool operator==(const StudyEnd&) const = default;
};

struct StudyDiagnosis {
  struct Op {
    OpDiagnosis op;
    std::vector<Finding> findings;  // as stored, not computed again
  };
  std::vector<Op> ops;
  std::vector<TensorHistogram> tensors;  // inputs of the noisiest ops
};

class StudyRecord {
 public:
  StudyRecord(const Store& store, StudyId study) : store_(store), study_(study) {}

  std::optional<StudyAbout> about() const;
  std::vector<StudyOp> ops() const;
  std::optional<Measurement> baseline() const;
  std::optional<std::string> baseline_notes() const;                  // of the evaluator
  std::optional<std::string> first_model_notes() const;               // of the evaluator
  std::optional<std::string> statistics(const StatisticsKey&) const;  // bytes of calibrate/statistics.h
  std::optional<PrecisionChoice> precision() const;                   // unset: f32
  std::optional<KernelVariantChoice> kernel_variants() const;
  std::optional<double> seconds_before_trials() const;
  std::vector<Trial> trials() const;  // with the exact results that were stored later
  std::vector<Probe> probes() const;
  std::optional<StudyEnd> end(std::size_t trials) const;  // of the last run that ended with that many trials
  std::optional<StudyDiagnosis> diagnosis() const;

 private:
  std::optional<nlohmann::ordered_json> read(const std::string& key) const;

  const Store& store_;
  StudyId study_;
};

// Also writes values. Used by the process that tunes.
class StudyWriter : public StudyRecord {
 public:
  StudyWriter(Store& store, StudyId study) : StudyRecord(store, study), store_(store), study_(study) {}

  void set_about(const StudyAbout&);
  void set_ops(const std::vector<StudyOp>&);
  void set_baseline(const Measurement&);
  void set_baseline_notes(const std::string&);
  void set_first_model_notes(const std::string&);
  void set_statistics(const StatisticsKey&, const std::string& bytes);
  void set_precision(const PrecisionChoice&);
  void set_kernel_variants(const KernelVariantChoice&);
  void set_seconds_before_trials(double);
  void append(const Trial& trial) { store_.append(study_, trial); }
  void update_score(std::size_t trial, const Measurement& score) { store_.update_score(study_, trial, score); }
  void append(const Probe&, std::size_t number);  // from 1
  void set_end(std::size_t trials, const StudyEnd&);
  void set_diagnosis(const std::vector<OpDiagnosis>&, const std::vector<TensorHistogram>&);

 private:
  Store& store_;
  StudyId study_;
};

}  // namespace lpot
