// Options of the verbs that need a configuration.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/config/load.h"
#include "lpot/model/load.h"
#include "lpot/tune/setup.h"

namespace lpot::cli {

struct ConfigOptions {
  std::vector<std::string> files;
  std::vector<std::string> overrides;
  std::string model;
  std::string output;

  void add_to(CLI::App& verb, bool with_output) {
    verb.add_option("config", files, "YAML files; later files override earlier ones")->required();
    verb.add_option("-m,--model", model, std::string("The model: ") + kModelFiles);
    verb.add_option("--set", overrides, "Override a key: --set tuning.exit_policy.max_trials=5 (repeat for more keys)")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
    if (with_output) verb.add_option("-o,--output", output, "Folder for the saved model (default: in the workspace)");
  }

  Config load() const { return load_config(files, overrides, component_tables()); }
};

}  // namespace lpot::cli
