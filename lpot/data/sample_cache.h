// Keeps transformed samples, so that decoding and resizing are done once and not for every model that is evaluated: in
// memory up to a limit, then in a file that has no name and is gone with the cache. What does not fit is not kept.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>

#include "lpot/data/dataset.h"

namespace lpot {

struct CacheLimits {
  std::size_t memory_bytes = std::size_t{256} << 20;
  std::size_t disk_bytes = std::size_t{8} << 30;
  std::filesystem::path folder = {};  // of the file; "": the system's folder for temporary files
};

class SampleCache {
 public:
  explicit SampleCache(CacheLimits = {});
  ~SampleCache();

  // From any number of threads at once.
  std::optional<Sample> get(std::size_t index) const;
  void put(std::size_t index, const Sample&);

  std::size_t in_memory() const;  // samples
  std::size_t on_disk() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lpot
