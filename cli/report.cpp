#include <fmt/format.h>

#include "cli/verbs.h"
#include "lpot/core/file.h"
#include "lpot/core/json.h"
#include "lpot/report/faster_trial.h"
#include "lpot/report/html.h"
#include "lpot/report/markdown.h"
#include "lpot/report/study_view.h"
#include "lpot/tune/workspace.h"

namespace lpot::cli {
namespace {

struct ReportVerb {
  std::string workspace;
  std::string format = "html";
  std::string output;
  StudyId study = 0;
};

int run_report(const ReportVerb& verb, const Context& context) {
  const auto store = open_sqlite_store_read_only(store_path(verb.workspace));
  const auto view = report_view(*store, find_study(*store, verb.study));
  const std::string format = context.common.json ? "json" : verb.format;
  const std::string text = format == "md"     ? report_markdown(view)
                           : format == "html" ? report_html(view)
                                              : dump_json(view, 2) + "\n";
  if (!verb.output.empty())
    write_file(verb.output, text);
  else
    fmt::print("{}", text);
  return kSuccess;
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  const auto verb = std::make_shared<ReportVerb>();
  CLI::App* command =
      add_verb(app, context, "report", "Write the report of a study: its trials, the best model and a diagnosis",
               "  lpot report lpot_workspace/resnet20-onnx --output report.html\n"
               "  lpot report lpot_workspace/resnet20-onnx --study 2 --format md");
  command->add_option("workspace", verb->workspace, "Folder of the workspace")->required();
  command->add_option("--study", verb->study,
                      "Number of the study (default: the last one that measured the fp32 model)");
  command->add_option("--format", verb->format, "html, md or json")
      ->check(CLI::IsMember({"html", "md", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", verb->output, "File to write (default: standard output)");
  command->callback([verb, &context] { context.run = [verb, &context] { return run_report(*verb, context); }; });
}

}  // namespace lpot::cli
