#include "lpot/data/sample_cache.h"

#include <stdlib.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <vector>

namespace lpot {
namespace fs = std::filesystem;
namespace {

// The position of a sample in the file. Its tensors are stored one after the other; the label is the last one.
struct Stored {
  struct Part {
    ElementType type = ElementType::F32;
    Shape shape;
    bool is_empty = false;
  };
  std::vector<Part> parts;
  std::size_t offset = 0;
};

std::size_t bytes_of(const Sample& sample) {
  std::size_t bytes = sample.label.empty() ? 0 : sample.label.byte_size();
  for (const Tensor& input : sample.inputs) bytes += input.byte_size();
  return bytes;
}

// Opens an unnamed file. Returns -1 on failure.
int open_nameless(const fs::path& folder) {
  std::error_code error;
  const fs::path parent = folder.empty() ? fs::temp_directory_path(error) : folder;
  std::string name = (parent / "lpot-samples-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file >= 0) ::unlink(name.c_str());
  return file;
}

template <typename Byte, typename Transfer>
bool transfer_all(int file, Byte* bytes, std::size_t count, std::size_t offset, Transfer&& transfer) {
  while (count > 0) {
    const auto done = transfer(file, bytes, count, static_cast<off_t>(offset));
    if (done <= 0) return false;
    bytes += done;
    offset += static_cast<std::size_t>(done);
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

}  // namespace

struct SampleCache::State {
  CacheLimits limits;
  mutable std::mutex mutex;
  std::map<std::size_t, Sample> memory;
  std::map<std::size_t, Stored> disk;
  std::size_t memory_bytes = 0, disk_bytes = 0;
  int file = -1;
  bool disk_failed = false;  // the disk is full or not writable; no more samples are stored in the file

  ~State() {
    if (file >= 0) ::close(file);
  }

  void write(std::size_t index, const Sample& sample, std::size_t bytes) {
    if (disk_failed || disk_bytes + bytes > limits.disk_bytes) return;
    if (file < 0) file = open_nameless(limits.folder);
    Stored stored{{}, disk_bytes};
    std::size_t offset = disk_bytes;
    std::vector<Tensor> parts = sample.inputs;
    parts.push_back(sample.label);
    for (const Tensor& part : parts) {
      stored.parts.push_back({part.element_type(), part.shape(), part.empty()});
      if (part.empty()) continue;
      if (file < 0 || !transfer_all(file, part.bytes(), part.byte_size(), offset, ::pwrite)) {
        disk_failed = true;
        return;
      }
      offset += part.byte_size();
    }
    disk_bytes = offset;
    disk.emplace(index, std::move(stored));
  }

  std::optional<Sample> read(const Stored& stored) const {
    std::vector<Tensor> parts;
    std::size_t offset = stored.offset;
    for (const Stored::Part& part : stored.parts) {
      if (part.is_empty) {
        parts.emplace_back();
        continue;
      }
      Tensor tensor(part.type, part.shape);
      if (!transfer_all(file, tensor.bytes(), tensor.byte_size(), offset, ::pread)) return std::nullopt;
      offset += tensor.byte_size();
      parts.push_back(std::move(tensor));
    }
    Sample sample;
    sample.label = std::move(parts.back());
    parts.pop_back();
    sample.inputs = std::move(parts);
    return sample;
  }
};

SampleCache::SampleCache(CacheLimits limits) : state_(std::make_unique<State>()) { state_->limits = std::move(limits); }
SampleCache::~SampleCache() = default;

std::optional<Sample> SampleCache::get(std::size_t index) const {
  Stored stored;
  {
    const std::lock_guard lock(state_->mutex);
    if (const auto found = state_->memory.find(index); found != state_->memory.end()) return found->second;
    const auto found = state_->disk.find(index);
    if (found == state_->disk.end()) return std::nullopt;
    stored = found->second;
  }
  return state_->read(stored);  // no lock: the bytes were written before they were listed, and never change
}

void SampleCache::put(std::size_t index, const Sample& sample) {
  const std::size_t bytes = bytes_of(sample);
  const std::lock_guard lock(state_->mutex);
  if (state_->memory.contains(index) || state_->disk.contains(index)) return;
  if (state_->memory_bytes + bytes > state_->limits.memory_bytes) {
    state_->write(index, sample, bytes);
    return;
  }
  state_->memory_bytes += bytes;
  state_->memory.emplace(index, sample);
}

std::size_t SampleCache::in_memory() const {
  const std::lock_guard lock(state_->mutex);
  return state_->memory.size();
}

std::size_t SampleCache::on_disk() const {
  const std::lock_guard lock(state_->mutex);
  return state_->disk.size();
}

}  // namespace lpot
