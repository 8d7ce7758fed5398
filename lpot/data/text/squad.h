// Reads the questions of a SQuAD v1.1 file. Each question belongs to one paragraph.
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
  std::vector<std::string> answers;  // all of them are correct; at least one
  std::size_t paragraph = 0;
};

struct Squad {
  std::vector<SquadParagraph> paragraphs;
  std::vector<SquadQuestion> questions;  // in the order of the file
};

// Reads dev-v1.1.json, plain or compressed with gzip. Throws DataError with the operation `dataset`, the file and the
// line if the file is not UTF-8 or JSON, has another format, has a question without answers or repeats an id.
Squad read_squad(const std::string& dataset, const std::filesystem::path&);

}  // namespace lpot
