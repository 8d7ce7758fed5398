// The result of a tuning, as text for people and as JSON for programs. A new line of the text is in result_text, a new
// key of result.json in result_json (both in result.cpp). study_view.h is for report.html and the Markdown report.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lpot/report/table.h"
#include "lpot/report/tune_result.h"

namespace lpot {

// {goal_met, baseline {accuracy, latency_ms, size_bytes}, best {..., trial, fallback}, faster_trial {trial, text},
// trials, seconds, history [...], ranked [...], front [...], ...}: the history has the best trial over time; the front
// has the trials for which no other trial is both faster and more accurate; faster_trial.h describes faster_trial;
// ranked.h describes ranked, the candidates with an estimated accuracy. Every latency_ms is the lower quartile (p25) of
// the runs with batch 1. A speedup is a median; speedup_low and speedup_high are its 95% confidence interval, or 0 in
// studies of older versions.
std::string result_json(const TuneResult&);

// A table that compares fp32 with the best model, the number of trials, the path of the saved model, and the lines of
// code that run it.
std::string result_text(const TuneResult&);

// The fp32 latency in the run that measured a trial, in which the two models run alternately. The load of the machine
// may differ in another run, so only these two latencies can be compared.
double fp32_latency_ms(const Measurement&);

Spread spread_of(const Measurement&);  // of its speed-up

// One line for one trial: number, accuracy, latency, speed-up with its confidence interval, the number of ops that are
// not int8, time.
std::string trial_header();
std::string trial_row(const Trial&, bool is_best, bool meets_goal);

// Lines of Python that run a saved model in OpenVINO: five, or eight with a reshape to static shapes. They set the
// precision that the model was evaluated with, unless this CPU supports only f32.
std::string python_lines(const std::filesystem::path& model, const StaticShapes& = {},
                         InferencePrecision = InferencePrecision::F32);

// The same in C++.
std::string cpp_lines(const std::filesystem::path& model, const StaticShapes& = {},
                      InferencePrecision = InferencePrecision::F32);

// Four lines of Python that run a saved ONNX model in ONNX Runtime.
std::string onnx_runtime_lines(const std::filesystem::path& model, const StaticShapes& = {});

// {"onnx": {path, size_bytes}}: the files of other formats.
nlohmann::ordered_json exports_json(const SavedModel&);

// The lines for each saved file, with a title.
std::string run_lines(const SavedModel&);

// The static shapes to compile the model for, and the C++ line for them; "" if all dimensions are static.
std::string shape_hint(const StaticShapes&);
nlohmann::ordered_json shapes_json(const StaticShapes&);  // {inputs {name: shape}, lengths, python, cpp}

}  // namespace lpot
