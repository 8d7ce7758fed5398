// A study as one JSON value, read from the store: the data of the report, the dashboard and `lpot report`.
//
//   const auto store = open_sqlite_store_read_only(store_path("lpot_workspace/net-onnx"));
//   const auto view = study_view(*store, store->studies().back());
//
// Keys: study, name, state ("ended", "open"), reason, seconds, about, metric, goal, baseline, best (number of a trial
// or null), front, ops [{name, type, noise, fp32_ms, int8_ms, form, why, why_int8, findings, ...}], choices [text],
// trials [{number, at, accuracy, ..., ops: an index into choices for every op}], probes, tensors. Times `at` are
// seconds since the start.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "lpot/store/store.h"

namespace lpot {

// Throws StoreError when something in the store is damaged.
nlohmann::ordered_json study_view(const Store&, const StudyEntry&);

// The study of that number. For 0: the last one that has a baseline, as runs that failed at the start leave studies
// without one; the last one where none has. Throws StoreError that lists the studies.
StudyEntry find_study(const Store&, StudyId);

// Numbers of the trials for which no other trial is both faster and more accurate (Pareto front), the fastest first.
std::vector<std::size_t> front(const std::vector<Trial>&, bool higher_is_better);

}  // namespace lpot
