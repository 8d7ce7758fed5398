// The blocks of code in a page of Markdown.
#pragma once
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace lpot {

struct Block {
  std::string language;
  std::string text;

  std::vector<std::string> lines() const {
    std::vector<std::string> found;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) found.push_back(line);
    return found;
  }
};

inline std::vector<Block> blocks_of(const std::filesystem::path& page) {
  std::vector<Block> blocks;
  std::ifstream file(page);
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), ""});
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

// Those of README.md in that language.
inline std::vector<Block> readme_blocks(const std::string& language) {
  std::vector<Block> found;
  for (Block& block : blocks_of(LPOT_SOURCE_DIR "/README.md"))
    if (block.language == language) found.push_back(std::move(block));
  return found;
}

}  // namespace lpot
