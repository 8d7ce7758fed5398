#include "lpot/report/write_reports.h"

#include <fmt/format.h>

#include <functional>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/json.h"
#include "lpot/report/faster_trial.h"
#include "lpot/report/html.h"
#include "lpot/report/result.h"
#include "lpot/report/study_view.h"

namespace lpot {
namespace {

// The study is complete, so a report that cannot be written must not end the program.
void write_or_warn(const std::filesystem::path& path, const std::function<std::string()>& text,
                   const Observer& observer) {
  try {
    write_file(path, text());
  } catch (const std::exception& error) {
    observer.log(LogLevel::Warning, fmt::format("cannot write {}: {}", path.filename().string(), error.what()));
  }
}

}  // namespace

std::filesystem::path report_path(const std::filesystem::path& workspace) { return workspace / "report.html"; }

void write_reports(const Store& store, const TuneResult& result, const Observer& observer) {
  if (!result.model.empty())
    write_or_warn(
        result.model.parent_path() / "result.json", [&] { return result_json(result); }, observer);
  write_or_warn(
      report_path(result.workspace), [&] { return report_html(report_view(store, find_study(store, result.study))); },
      observer);
}

}  // namespace lpot
