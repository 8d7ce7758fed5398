// What a tuning came to, as text for people and as JSON for programs.
#pragma once
#include <string>

#include "lpot/tune/quantization.h"

namespace lpot {

// {goal_met, baseline {accuracy, latency_ms, size_bytes}, best {..., trial, fallback}, trials, seconds, history [...],
// front [...], ...}: the history has the best so far against time, the front the trials that none beats in both
// accuracy and speed
std::string result_json(const TuneResult&);

// The table fp32 against int8, what was tried, where the model is and the five lines that run it.
std::string result_text(const TuneResult&);

// One line for one trial: number, accuracy, speed, ops in fp32, time.
std::string trial_header();
std::string trial_row(const Trial&, bool is_best, bool meets_goal);

// Five lines of Python that run a saved model in plain OpenVINO.
std::string python_lines(const std::filesystem::path& model);

}  // namespace lpot
