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

// The names and parameters that a config may use, from the registries of the layers that own them.
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

// The same from text; `name` stands for the file in messages.
Config load_config_text(const std::string& text, const std::string& name, const ComponentTables&);

// One component as a config would name it, checked and with its defaults filled in, for a Config that is made in code:
// parse_component("Normalize: {mean: [0.5], std: [0.5]}", transforms()). Throws ConfigError.
Component parse_component(const std::string& text, const Table&);

}  // namespace lpot
