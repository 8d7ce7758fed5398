// Chooses among candidate preprocessings by running the fp32 model on a few samples.
//
// All candidates run on 32 samples, the best three on 128, and the best two on 512 if they are still not clearly
// different. Among candidates that are not clearly different, the first one, which is the most usual, is chosen.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "lpot/tune/auto_config/sample_outputs.h"

namespace lpot {

struct PreprocessingCandidate {
  std::string name;
  DataText data;
};

struct PreprocessingChoice {
  std::size_t chosen = 0;                   // index of the candidate
  std::vector<PreprocessingFit> fits = {};  // of the last round of each candidate, best first
  bool is_clear = true;                     // better than the others beyond chance
  bool has_fit = true;                      // false: no candidate fits
  bool uses_labels = false;                 // whether labels decided
  std::int64_t label_offset = 0;            // class of the model less label
  SampleOutputs outputs = {};               // of the chosen candidate
};

// How labels may be numbered: the offsets to try, and whether there are labels at all.
struct LabelHypotheses {
  bool has_labels = false;
  std::vector<std::int64_t> offsets = {0};
};

// The offsets from labels to classes that are possible. A model with one class more than the data has a background
// class first; labels may also start at 1.
LabelHypotheses label_hypotheses(std::int64_t first_label, std::int64_t last_label, std::size_t classes);

// Runs a candidate on this number of samples.
using RunCandidate = std::function<SampleOutputs(const PreprocessingCandidate&, std::size_t count)>;

// Candidates are in the order of how usual they are. If the accuracy of the best candidate is that of chance, the
// choice is made without labels. The outputs of the candidates must have one row of classes per sample.
PreprocessingChoice choose_preprocessing(const std::vector<PreprocessingCandidate>&, const LabelHypotheses&,
                                         const RunCandidate&);

}  // namespace lpot
