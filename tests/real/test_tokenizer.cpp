// Our tokenizer against the `tokenizers` wheel, on every field of the GLUE files and every text of SQuAD. The wheel
// runs in the Python of .venv (scripts/setup.sh --test), or in the one that LPOT_TEST_PYTHON names.
#include <cstdlib>
#include <sstream>

#include "lpot/core/file.h"
#include "lpot/data/text/wordpiece.h"
#include "tests/cli/support.h"

namespace lpot {
namespace {

class Tokenizer : public CliTest, public ::testing::WithParamInterface<bool> {
 protected:
  static std::string data(const std::string& name) {
    const char* folder = std::getenv("LPOT_TEST_DATA");
    if (!folder || !*folder) throw std::runtime_error("set LPOT_TEST_DATA to the folder with the data and models");
    return std::filesystem::absolute(std::filesystem::path(folder) / name).lexically_normal().string();
  }

  static std::string text_of(const std::string& file) {
    const std::vector<std::uint8_t> bytes = read_file(data(file));
    return {bytes.begin(), bytes.end()};
  }

  static std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (const char* task : {"glue-mrpc", "glue-cola", "glue-sts-b", "glue-sst-2"})
      for (const char* part : {"train", "dev", "test"}) {
        std::istringstream lines(text_of(std::string(task) + "/" + part + ".tsv"));
        for (std::string line; std::getline(lines, line);) {
          std::istringstream fields(line);
          for (std::string field; std::getline(fields, field, '\t');) all.push_back(field);
        }
      }
    for (const Json& article : Json::parse(text_of("squad-v1.1/dev-v1.1.json.gz"))["data"])
      for (const Json& paragraph : article["paragraphs"]) {
        all.push_back(paragraph["context"]);
        for (const Json& question : paragraph["qas"]) all.push_back(question["question"]);
      }
    return all;
  }

  std::vector<std::string> reference(const std::vector<std::string>& all) const {
    std::ofstream file(folder_ / "texts");
    for (const std::string& text : all) file << Json(text).dump() << '\n';
    file.close();
    const char* python = std::getenv("LPOT_TEST_PYTHON");
    const Outcome outcome =
        Running({python && *python ? python : LPOT_SOURCE_DIR "/.venv/bin/python",
                 LPOT_SOURCE_DIR "/tests/real/tokenize_texts.py", data("bert-vocab/vocab.txt"),
                 GetParam() ? "lower" : "keep", (folder_ / "texts").string(), (folder_ / "ids").string()},
                folder_.path(), 0)
            .wait();
    if (outcome.code != 0) throw std::runtime_error("tokenizers: " + outcome.err);
    std::vector<std::string> ids;
    std::ifstream lines(folder_ / "ids");
    for (std::string line; std::getline(lines, line);) ids.push_back(line);
    return ids;
  }
};

INSTANTIATE_TEST_SUITE_P(Case, Tokenizer, ::testing::Bool(),
                         [](const auto& instance) { return instance.param ? "lowered" : "kept"; });

TEST_P(Tokenizer, IsIdenticalToTheReferenceOnEveryText) {
  const std::vector<std::string> all = texts();
  const std::vector<std::string> expected = reference(all);
  ASSERT_GT(all.size(), 290000u);
  ASSERT_EQ(expected.size(), all.size());
  const WordPiece tokenizer(std::make_shared<const Vocabulary>("test", data("bert-vocab")), {.lower_case = GetParam()});
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string ids;
    for (const Token& token : tokenizer.tokenize(all[i])) ids += (ids.empty() ? "" : " ") + std::to_string(token.id);
    ASSERT_EQ(ids, expected[i]) << all[i];
  }
}

}  // namespace
}  // namespace lpot
