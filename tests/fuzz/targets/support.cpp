#include "tests/fuzz/targets/support.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "lpot/config/load.h"
#include "lpot/core/error.h"
#include "lpot/data/loader.h"

namespace lpot::fuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMaxSamples = 64;  // read per input; enough to reach every kind of sample

struct Folder {
  Folder() {
    const fs::path memory = "/dev/shm";
    path = (fs::is_directory(memory) ? memory : fs::temp_directory_path()) / fmt::format("lpot-fuzz-{}", ::getpid());
    fs::create_directories(path);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

}  // namespace

fs::path folder() {
  static const Folder kFolder;
  return kFolder.path;
}

fs::path write(const std::string& name, Bytes bytes) {
  fs::path path = folder() / name;
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path;
}

void expect_errors(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

void read_dataset(const std::string& component) {
  expect_errors([&] {
    const std::shared_ptr<const Dataset> data = make_dataset(parse_component(component, datasets()));
    const DataLoader loader(data, {});  // allocates an index for every sample
    const std::size_t count = std::min(data->size(), kMaxSamples);
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < count; ++i) {
      expect_errors([&] { data->label(i); });
      expect_errors([&] { samples.push_back(data->at(i)); });
    }
    data->pad_batch(samples);
    data->identity();
  });
}

std::size_t choose(Bytes& bytes, std::size_t count) {
  if (bytes.empty()) return 0;
  const std::size_t choice = bytes[0] % count;
  bytes = bytes.subspan(1);
  return choice;
}

}  // namespace lpot::fuzz
