// Caches transformed samples, so that they are decoded and resized once and not for every evaluated model. Samples are
// stored in memory up to a limit, then in an unnamed temporary file. Samples beyond both limits are not cached.
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
  std::filesystem::path folder = {};  // for the temporary file; "": the default of the system
};

class SampleCache {
 public:
  explicit SampleCache(CacheLimits = {});
  ~SampleCache();

  // Can be called from several threads at once.
  std::optional<Sample> get(std::size_t index) const;
  void put(std::size_t index, const Sample&);

  std::size_t in_memory() const;  // samples
  std::size_t on_disk() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lpot
