// Inputs that once broke a reader, or were written to: tests/fuzz/cases/TARGET/NAME. Each must give an lpot::Error or
// no error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "lpot/core/error.h"
#include "lpot/core/json.h"
#include "lpot/evaluate/notes.h"
#include "lpot/plan/plan.h"
#include "lpot/plan/trial.h"
#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, void (*)(Bytes)> kTargets{{"config", config},
                                                      {"tsv", tsv},
                                                      {"squad", squad},
                                                      {"coco", coco},
                                                      {"records", records},
                                                      {"npy", npy},
                                                      {"idx", idx},
                                                      {"cifar", cifar},
                                                      {"jpeg", jpeg},
                                                      {"image_list", image_list},
                                                      {"png", png},
                                                      {"wav", wav},
                                                      {"store", store},
                                                      {"vocabulary", vocabulary},
                                                      {"stored_values", stored_values},
                                                      {"tokenizer", tokenizer},
                                                      {"graph", graph}};

std::vector<std::uint8_t> read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  const fs::path root = LPOT_SOURCE_DIR "/tests/fuzz/cases";
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), root).string());
  std::sort(names.begin(), names.end());
  return names;
}

class FuzzCase : public testing::TestWithParam<std::string> {};

TEST_P(FuzzCase, ThrowsOnlyLpotErrors) {
  const fs::path name = GetParam();
  const auto bytes = read_all(fs::path(LPOT_SOURCE_DIR "/tests/fuzz/cases") / name);
  kTargets.at(name.parent_path().string())(bytes);
}

INSTANTIATE_TEST_SUITE_P(Cases, FuzzCase, testing::ValuesIn(cases()), [](const auto& tested) {
  std::string name = tested.param;
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  return name;
});

// Deeply nested inputs are generated here, because files with them would be large.
constexpr std::size_t kDeep = 200'000;

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

std::string nested(const std::string& inside) { return std::string(kDeep, '[') + inside + std::string(kDeep, ']'); }

TEST(Nesting, DoesNotCrashTheJsonReader) {
  EXPECT_THROW(plan_from_json(R"({"ops": {"a": )" + nested("1") + "}}"), StoreError);
  EXPECT_THROW(measurement_from_json(nested("")), StoreError);
  EXPECT_THROW(probe_from_json(nested("")), StoreError);
  squad(bytes_of(R"({"data": )" + nested("") + "}"));
  coco(bytes_of(R"({"images": [{"id": )" + nested("1") + R"(, "height": 0, "width": 1}], "annotations": []})"));
  config(bytes_of(nested("1")));
}

TEST(Nesting, DoesNotCrashTheCborReader) {
  EXPECT_THROW(notes_from_bytes(std::string(kDeep, '\x81') + '\x01'), StoreError);
}

TEST(Nesting, IsAllowedAsDeepAsValuesNeed) {
  const std::string text = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
  EXPECT_EQ(parse_json(text).dump(), text);
  EXPECT_THROW(parse_json('[' + text + ']'), nlohmann::json::exception);
}

// The start of a protobuf field, reversed.
std::string head_backwards(int field, std::size_t length) {
  std::string head(1, static_cast<char>(field << 3 | 2));
  for (; length >= 0x80; length >>= 7) head += static_cast<char>(length | 0x80);
  head += static_cast<char>(length);
  return {head.rbegin(), head.rend()};
}

// Nested lists, which no TensorFlow attribute has, written from the inside out.
TEST(Nesting, DoesNotCrashTheGraphReader) {
  std::string backwards;
  for (std::size_t depth = 0; depth < kDeep; ++depth) backwards += head_backwards(1, backwards.size());
  for (const int field : {2, 5, 1}) backwards += head_backwards(field, backwards.size());
  std::string bytes(backwards.rbegin(), backwards.rend());
  graph(bytes_of('\x01' + bytes));
}

}  // namespace
}  // namespace lpot::fuzz
