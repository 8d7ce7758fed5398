#include "lpot/config/load.h"

#include "lpot/config/components.h"
#include "lpot/config/merge.h"
#include "lpot/config/read.h"
#include "lpot/config/yaml.h"
#include "lpot/core/error.h"

namespace lpot {

using namespace yaml;

Config load_config(const std::vector<std::string>& files, const std::vector<std::string>& overrides,
                   const ComponentTables& tables) {
  if (files.empty()) throw ConfigError("load_config", "no file given; expected at least one YAML file");
  const KeyTable keys(tables.recipes);
  Document merged = normalize(parse_yaml(read_text(files.front()), files.front()), keys);
  const auto add = [&](Node tree) {
    const Document next = normalize(std::move(tree), keys);
    merged = {merge(std::move(merged.tree), next.tree), merged.ilit || next.ilit};
  };
  for (std::size_t i = 1; i < files.size(); ++i) add(parse_yaml(read_text(files[i]), files[i]));
  for (const std::string& text : overrides) add(parse_override(text));
  Config config = read_config(merged, keys, tables);
  config.files = files;
  return config;
}

Config load_config_text(const std::string& text, const std::string& name, const ComponentTables& tables) {
  const KeyTable keys(tables.recipes);
  Config config = read_config(normalize(parse_yaml(text, name), keys), keys, tables);
  config.files = {name};
  return config;
}

Component parse_component(const std::string& text, const Table& table) {
  return read_one_component(parse_value(text, "'" + text + "'"), "", {table, "component"});
}

}  // namespace lpot
