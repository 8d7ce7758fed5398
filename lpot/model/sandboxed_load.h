// Models come from strangers, and the front ends that read them were not made for damaged files: some end the process
// by a signal, others fill the memory. So a model is first read in a copy of this process, which has a limit of memory
// and whose end hurts nobody.
//
//   ReadingCopy copy([&] { load_model(path); }, std::filesystem::file_size(path));
//   if (copy.check(path)) trust(cache, key);  // throws ModelError where the copy died
//
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>

namespace lpot {

class ReadingCopy {
 public:
  // `load` may use some gigabytes beyond what this process has and so many seconds of the processor, and more of both
  // for large files.
  ReadingCopy(const std::function<void()>& load, std::uint64_t file_bytes, unsigned seconds = 20);
  ~ReadingCopy();  // ends the copy
  ReadingCopy(const ReadingCopy&) = delete;
  ReadingCopy& operator=(const ReadingCopy&) = delete;

  // Waits for the copy. Throws its ModelError, or one that says how it died. False: nothing is known, because there
  // could be no copy, it was stopped by somebody, or it waits for a thread that it has not.
  bool check(const std::filesystem::path&);

 private:
  pid_t child_ = -1;
  int message_ = -1;  // the copy writes the text of its error here
  bool has_threads_ = false;
};

// Whether this thread is the only one of the process.
bool has_one_thread();

}  // namespace lpot
