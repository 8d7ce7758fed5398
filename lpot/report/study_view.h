// A study as one JSON value, read from the store: the data of the report, the dashboard and `lpot report`.
//
//   const auto store = open_sqlite_store_read_only(store_path("lpot_workspace/net-onnx"));
//   const auto view = study_view(*store, store->studies().back());
//
// The reports show this value, so a new line of a report usually needs
// - its key in study_view.cpp, computed from what the store has. A new measurement: see Measurement in plan/trial.h
// - its text: page/page.js (report.html and `lpot serve`), markdown.cpp (`lpot report --format md`)
// - its test in tests/report/test_study_view.cpp and tests/page/
// The text and the JSON after a run do not use this value: see result.h. `lpot show` is in cli/show.cpp.
//
// Keys: study, name, state ("ended", "open"), reason, seconds, about, metric, goal, baseline, best (number of a trial
// or null), front, ops [{name, type, noise, fp32_ms, int8_ms, form, why, why_int8, findings, ...}], choices [text],
// trials [{number, at, accuracy, ranges, ..., ops: an index into choices for every op}], probes, probes_text,
// ranked (see ranked.h), tensors. Times `at` are seconds since the start.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "lpot/store/store.h"

namespace lpot {

// Throws StoreError when something in the store is damaged.
nlohmann::ordered_json study_view(const Store&, const StudyEntry&);

// The study of that number. For 0: the last study that has a baseline, because a run that failed at the start leaves a
// study without one. If no study has a baseline: the last study. Throws StoreError with a list of the studies.
StudyEntry find_study(const Store&, StudyId);

// Numbers of the trials for which no other trial is both faster and more accurate (Pareto front), the fastest first.
std::vector<std::size_t> front(const std::vector<Trial>&, bool higher_is_better);

}  // namespace lpot
