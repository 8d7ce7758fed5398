// The files that a study leaves for people and programs. `tune` calls this, so that the command line, C++ and Python
// users all get them.
#pragma once
#include <filesystem>

#include "lpot/core/observer.h"
#include "lpot/report/tune_result.h"
#include "lpot/store/store.h"

namespace lpot {

std::filesystem::path report_path(const std::filesystem::path& workspace);  // report.html in it

// Writes result.json beside the saved model and report.html into the workspace. A file that cannot be written is a
// warning: the model is saved all the same.
void write_reports(const Store&, const TuneResult&, const Observer&);

}  // namespace lpot
