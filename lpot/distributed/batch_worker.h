// Processes the jobs of one process in a shared pass: runs their batches through a model and returns results as bytes.
//
//   const WorkerTask task = make_batch_task(order, rank, {.model = model, .loader = loader}, encoder);
//
// A job is a list of positions of the loader. The answer contains, for each batch, the number of samples, the shapes,
// the compilation that was used, and the bytes of the encoder.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/bytes.h"
#include "lpot/distributed/batch_executor.h"
#include "lpot/distributed/jobs.h"

namespace lpot {

// Runs jobs until the round is over. Returns the encoder's summary.
std::string run_batch_jobs(Jobs&, Runner&, const BatchProgram&, BatchEncoder&);

// The task of a worker for an order of a CoordinatedExecutor. Shapes and threads are read from the order.
WorkerTask make_batch_task(const nlohmann::json& order, int rank, BatchProgram, std::shared_ptr<BatchEncoder>);

// Identifies a model in an order: its file, its fingerprint, and how it was derived from that file.
nlohmann::json model_reference(const Model&);

// The positions of a job.
std::string job_to_bytes(std::span<const std::size_t> positions);
std::vector<std::size_t> job_from_bytes(std::string_view);

// One batch in the answer to a job.
struct EncodedBatch {
  std::size_t count = 0;   // samples
  Shapes shapes;           // of the inputs
  Shapes compiled_shapes;  // the compilation that was used (runtime/shape_dispatch.h)
  std::string_view bytes;
};
void write(ByteWriter&, const EncodedBatch&);
std::vector<EncodedBatch> batches_from_bytes(std::string_view answer);  // `answer` must outlive them

}  // namespace lpot
