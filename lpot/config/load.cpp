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
  std::vector<ConfigDocument> texts;
  for (const std::string& file : files) texts.push_back(read_config_document(file));
  return load_config_documents(texts, overrides, tables);
}

ConfigDocument read_config_document(const std::string& file) { return {file, read_text(file)}; }

Config load_config_documents(const std::vector<ConfigDocument>& texts, const std::vector<std::string>& overrides,
                             const ComponentTables& tables) {
  if (texts.empty()) throw ConfigError("load_config", "no file given; expected at least one YAML file");
  const KeyTable keys(tables.recipes);
  Document merged = normalize(parse_yaml(texts.front().text, texts.front().name), keys);
  const auto add = [&](Node tree) {
    const Document next = normalize(std::move(tree), keys);
    merged = {merge(std::move(merged.tree), next.tree), merged.ilit || next.ilit};
  };
  for (std::size_t i = 1; i < texts.size(); ++i) add(parse_yaml(texts[i].text, texts[i].name));
  for (const std::string& text : overrides) add(parse_override(text));
  Config config = read_config(merged, keys, tables);
  for (const ConfigDocument& text : texts) config.files.push_back(text.name);
  return config;
}

Config load_config_text(const std::string& text, const std::string& name, const ComponentTables& tables) {
  return load_config_documents({{name, text}}, {}, tables);
}

Component parse_component(const std::string& text, const Table& table) {
  return read_one_component(parse_value(text, "'" + text + "'"), "", {table, "component"});
}

}  // namespace lpot
