// The questions of a SQuAD v1.1 file, each about one paragraph.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace lpot {

struct SquadParagraph {
  std::string title;  // of its article
  std::string context;
};

struct SquadQuestion {
  std::string id;
  std::string text;
  std::vector<std::string> answers;  // any of them is right; at least one
  std::size_t paragraph = 0;
};

struct Squad {
  std::vector<SquadParagraph> paragraphs;
  std::vector<SquadQuestion> questions;  // in the file's order
};

// Reads dev-v1.1.json, or that compressed with gzip. Throws DataError in the name of `dataset` with file and line: no
// UTF-8, no JSON, another layout, a question without answers, an id that is there twice.
Squad read_squad(const std::string& dataset, const std::filesystem::path&);

}  // namespace lpot
