// YAML files, in the LPOT or the iLiT dialect, into a Config.
//
//   Config config = load_config({"bert.yaml", "data.yaml"}, {"tuning.exit_policy.max_trials=5"},
//                               component_tables());  // tune/setup.h
//
// Later files win over earlier ones key by key, and overrides win over files. Every key is checked: an unknown one, a
// value of another type or outside its range, and contradicting keys are ConfigErrors like
//   | [load_config] bert.yaml:14: tuning.accuracy_criterion.relative: expected a number in 0..1, got 'abc'
#pragma once
#include <string>
#include <vector>

#include "lpot/config/config.h"

namespace lpot {

// The component names and parameters that a configuration may use. Each layer provides the table of its registry.
struct ComponentTables {
  const Table& datasets;
  const Table& transforms;
  const Table& postprocesses;
  const Table& metrics;
  const Table& strategies;
  const RecipeDeclarations& recipes;
};

Config load_config(const std::vector<std::string>& files, const std::vector<std::string>& overrides,
                   const ComponentTables&);

// A YAML file in memory. Messages use `name` as the file name.
struct ConfigDocument {
  std::string name;
  std::string text;
};

ConfigDocument read_config_document(const std::string& file);

// Like load_config, but the files are in memory.
Config load_config_documents(const std::vector<ConfigDocument>& texts, const std::vector<std::string>& overrides,
                             const ComponentTables&);

// Reads one file from memory; messages use `name` as the file name.
Config load_config_text(const std::string& text, const std::string& name, const ComponentTables&);

// Parses one component and fills in its defaults, for a Config that is built in code:
// parse_component("Normalize: {mean: [0.5], std: [0.5]}", transforms()). Throws ConfigError.
Component parse_component(const std::string& text, const Table&);

}  // namespace lpot
