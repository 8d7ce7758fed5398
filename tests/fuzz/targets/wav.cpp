#include <fmt/format.h>

#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void wav(Bytes bytes) {
  const std::size_t layout = choose(bytes, 3);
  std::filesystem::create_directories(folder() / "sounds");
  write("sounds/a.wav", bytes);
  const std::string features = layout == 0   ? ""
                               : layout == 1 ? ", length: 2000, n_mels: 8, n_fft: 400, hop_length: 160"
                                             : ", chunk: 512, chunk_context: 64";
  read_dataset(fmt::format("audio: {{root: {}, sample_rate: 8000{}}}", (folder() / "sounds").string(), features));
}

}  // namespace lpot::fuzz
