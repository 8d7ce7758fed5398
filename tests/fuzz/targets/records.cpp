#include <fmt/format.h>

#include <array>

#include "lpot/data/tfrecord_writer.h"
#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {
namespace {

// The bytes as one record with valid checksums, so that the reader of Examples gets them.
std::filesystem::path wrapped(Bytes bytes) {
  std::filesystem::path path = folder() / "wrapped.tfrecord";
  TFRecordWriter writer(path);
  writer.add(text_of(bytes));
  writer.finish();
  return path;
}

}  // namespace

void records(Bytes bytes) {
  constexpr std::array<const char*, 4> kDatasets{"bert", "ImageRecord", "COCORecord", "VOCRecord"};
  const char* dataset = kDatasets[choose(bytes, kDatasets.size())];
  const auto file = choose(bytes, 2) == 0 ? wrapped(bytes) : write("plain.tfrecord", bytes);
  read_dataset(fmt::format("{}: {{root: {}}}", dataset, file.string()));
}

}  // namespace lpot::fuzz
