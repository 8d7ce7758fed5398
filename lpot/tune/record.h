// What a study leaves in the store for its report, besides what it works with: everything a reader of the store alone
// needs.
#pragma once
#include <string>
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/store/store.h"
#include "lpot/tune/bench.h"
#include "lpot/tune/diagnosis.h"
#include "lpot/tune/quantization.h"

namespace lpot {

// Before the trials, and after the baseline: model, goal, machine, versions, command; and the ops in order, with those
// that the config keeps in fp32.
void record_about(Store&, StudyId, const Bench&, const TuneResult&, const std::string& command);

// After the last trial: why it ended. A study that goes on later ends again, with more trials.
void record_end(Store&, StudyId, const TuneResult&);
std::string end_key(std::size_t trials);

// After the study, so that no trial waits for it: what was found of the ops, and of the tensors in front of the
// noisiest ones a histogram of few bins with the range of `plan`.
void record_diagnosis(Store&, StudyId, const std::vector<OpDiagnosis>&, const Plan& plan, const Statistics&);

Goal goal_from_json(const std::string& about);  // throws StoreError
Objective objective_from_json(const std::string& about);

}  // namespace lpot
