// Batches of a loader through a model, shared out between the processes of a team.
//
// What becomes of a batch hangs on the compilation that it runs in, for its very shapes or an open one, and that on the
// batches before it (runtime/routes.h). A process that sees some batches only may choose another one; rank 0, which
// takes the answers in order, knows the right choice and runs such a batch again. With data of one shape, or texts of a
// few lengths, there are none.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/data/not_a_number.h"
#include "lpot/runtime/runner.h"
#include "lpot/share/crew.h"

namespace lpot {

// A batch that went through a model.
struct RanBatch {
  std::vector<Tensor> outputs;
  std::vector<Tensor> labels;
  std::size_t first = 0;            // position of the first sample
  bool is_certain = true;           // else rank 0 may run it again, and this answer is not the one that counts
  std::vector<NanInput> nans = {};  // where the digest wants them
};

// What of a batch goes to rank 0, and what of all of them once more at the end.
struct Digest {
  std::function<std::string(RanBatch)> of_batch;
  std::function<std::string()> last = {};
  bool wants_nans = false;  // batches are looked through for samples that hold NaN
};

struct SharedBatches {
  const DataLoader& loader;  // its batches
  Runner& runner;            // of this process; the shapes of the first batch become the usual ones
  RunnerOptions options;     // of the runner
  const Model& model;
  std::vector<std::size_t> positions;                                                         // in their order
  std::size_t samples_per_job = 1;                                                            // at least a batch
  Digest digest;                                                                              // of this process
  std::function<bool(std::span<const std::size_t> positions, std::string_view digest)> take;  // false: no more
  std::function<void(const std::string&)> take_last = {};
};

// `order`: what helpers do; the usual shapes and their threads are added to it.
void share_batches(Crew&, nlohmann::json order, SharedBatches, const Observer&);

// The other side: a helper's work on such an order.
Duty batch_work(const nlohmann::json& order, int rank, const Model&, const DataLoader&, RunnerOptions, Digest);

// For orders: which model it is, and how a helper makes the same.
nlohmann::json model_for_order(const Model&);

}  // namespace lpot
