// Writes TensorFlow's record files and the Examples in them.
//
//   TFRecordWriter writer("eval.tf_record");
//   writer.add(encode_example({{"input_ids", std::vector<std::int64_t>{101, 102}}}));
//   writer.finish();
//
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace lpot {

using FeatureValues = std::variant<std::vector<std::int64_t>, std::vector<float>, std::vector<std::string>>;

// The bytes of a tf.train.Example with the features sorted by name.
std::string encode_example(const std::map<std::string, FeatureValues>&);

// Writes to a temporary file, which finish() renames. Without finish(), no file remains. Throws StoreError.
class TFRecordWriter {
 public:
  explicit TFRecordWriter(std::filesystem::path);
  ~TFRecordWriter();
  TFRecordWriter(const TFRecordWriter&) = delete;
  TFRecordWriter& operator=(const TFRecordWriter&) = delete;

  void add(std::string_view record);
  void finish();

 private:
  void check(const char* doing) const;

  std::filesystem::path path_;
  std::filesystem::path unfinished_;
  std::ofstream file_;
};

}  // namespace lpot
