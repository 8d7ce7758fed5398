#include "cli/config_options.h"

#include <fmt/format.h>

#include "cli/terminal.h"
#include "lpot/config/yaml.h"
#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/tune/workspace.h"

namespace lpot::cli {
namespace {

Model load_given_model(const std::string& path) {
  if (path.empty())
    throw ConfigError("model", fmt::format("no model; give its file with --model FILE ({})", kModelFiles));
  return load_model(path);
}

}  // namespace

void check_single_process(const ConfigOptions& options, const Context& context) {
  if (context.transport && !options.from_data.data.empty())
    throw ConfigError("data",
                      "--data works in one process; write the configuration with 'lpot init MODEL --data DIR --output "
                      "conf.yaml', then start mpirun with this file");
}

Config load_or_make_config(const ConfigOptions& options, bool save, Terminal& terminal) {
  if (options.from_data.data.empty()) return options.load();
  const Observer observer = terminal.observer();
  const Model model = load_given_model(options.model);
  const AutoConfig made = auto_config(model, options.from_data.auto_config_options(), observer);
  terminal.line(made.text);
  for (const std::string& warning : made.warnings) observer.log(LogLevel::Warning, warning);
  std::vector<ConfigDocument> documents{{"conf.yaml", made.text}};
  for (const std::string& file : options.files) documents.push_back({file, yaml::read_text(file)});
  Config config = load_config_documents(documents, options.all_overrides(), component_tables());
  if (options.from_data.max_loss && !options.files.empty()) {
    const auto made_criterion =
        load_config_documents({documents.front()}, options.all_overrides(), component_tables()).tuning.criterion;
    if (config.tuning.criterion != made_criterion)  // a file overrides the option
      config = load_config_documents(documents, options.overrides_with_max_loss(), component_tables());
  }
  if (save) {
    const std::filesystem::path folder = workspace_path(config, model);
    create_folder(folder);
    write_file(folder / "conf.yaml", made.text);
    terminal.line(fmt::format("configuration: {}", (folder / "conf.yaml").string()));
  }
  return config;
}

}  // namespace lpot::cli
