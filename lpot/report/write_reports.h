// Writes the result files of a study; result.h and study_view.h have their contents. `tune` calls this, so that the
// command line, C++ and Python write the same files.
#pragma once
#include <filesystem>

#include "lpot/core/observer.h"
#include "lpot/report/tune_result.h"
#include "lpot/store/store.h"

namespace lpot {

std::filesystem::path report_path(const std::filesystem::path& workspace);  // report.html in it

// Writes result.json beside the saved model and report.html into the workspace. Logs a warning for a file that
// cannot be written, because the model is saved already.
void write_reports(const Store&, const TuneResult&, const Observer&);

}  // namespace lpot
