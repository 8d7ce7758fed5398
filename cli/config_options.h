// Options of the verbs that need a configuration.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/verbs.h"
#include "lpot/config/config.h"
#include "lpot/config/load.h"
#include "lpot/core/observer.h"
#include "lpot/model/load.h"
#include "lpot/tune/auto_config/auto_config.h"
#include "lpot/tune/setup.h"

namespace lpot::cli {

class Terminal;

// Options for a configuration that is made from the model and a folder of data.
struct DataOptions {
  std::string data;  // the folder; "": none
  std::optional<double> max_loss;
  std::string normalization;
  std::string vocabulary;
  std::string audio;

  void add_to(CLI::App& verb) {
    verb.add_option("--data", data,
                    "Folder of images, .wav, .npy, .tsv or .txt files; lpot makes the configuration from it");
    verb.add_option("--max-loss", max_loss, "Allowed relative loss of accuracy, for example 0.01")
        ->check(CLI::Range(0.0, 1.0));
    verb.add_option("--normalization", normalization, "With --data, normalization of images (default: the best fit)")
        ->check(CLI::IsMember(normalization_names()));
    verb.add_option("--vocabulary", vocabulary, "With --data, vocab.txt of a text model");
    verb.add_option("--audio", audio,
                    "With --data, known parameters of the data set audio, for example \"sample_rate: 8000\"");
  }

  AutoConfigOptions auto_config_options() const {
    return {data, max_loss.value_or(AutoConfigOptions{}.max_loss), normalization, vocabulary, audio};
  }
};

struct ConfigOptions {
  std::vector<std::string> files;
  std::vector<std::string> overrides;
  std::string model;
  std::string output;
  DataOptions from_data;

  void add_to(CLI::App& verb, bool with_output, bool with_data = false) {
    CLI::Option* config = verb.add_option("config", files, "YAML files; later files override earlier ones");
    if (!with_data) config->required();
    verb.add_option("-m,--model", model, std::string("The model: ") + kModelFiles);
    verb.add_option("--set", overrides, "Override a key: --set tuning.exit_policy.max_trials=5 (repeat for more keys)")
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
    if (with_output) verb.add_option("-o,--output", output, "Folder for the saved model (default: in the workspace)");
    if (with_data) from_data.add_to(verb);
  }

  // Throws CLI::RequiredError if there is neither a file nor a folder of data.
  void check() const {
    if (files.empty() && from_data.data.empty()) throw CLI::RequiredError("config or --data");
  }

  // The configuration in the files. `from_data.data` is empty.
  Config load() const { return load_config(files, all_overrides(), component_tables()); }

  std::vector<std::string> all_overrides() const {
    return from_data.max_loss && from_data.data.empty() ? overrides_with_max_loss() : overrides;
  }

  std::vector<std::string> overrides_with_max_loss() const {
    std::vector<std::string> all = overrides;
    all.push_back("tuning.accuracy_criterion.relative=" + std::to_string(*from_data.max_loss));
    return all;
  }
};

// Throws ConfigError if a configuration is made from data by several processes, which could not agree on it.
void check_single_process(const ConfigOptions&, const Context&);

// The configuration in the files, or one that is made from the folder of data. The latter is printed, and saved in the
// workspace as conf.yaml if `save` is true. Files override its keys.
Config load_or_make_config(const ConfigOptions&, bool save, Terminal&);

}  // namespace lpot::cli
