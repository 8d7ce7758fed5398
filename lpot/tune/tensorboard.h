// tuning.tensorboard: histograms of what goes into quantized ops and of their weights, with the scores of each trial,
// as files that TensorBoard shows.
//
//   tensorboard --logdir lpot_workspace/net-onnx/tensorboard
//
// One folder for fp32 and one for each trial, so that TensorBoard lays them over each other; the step is the trial's
// number. Activations are those of the calibration samples, before they are quantized.
#pragma once
#include <filesystem>

#include "lpot/calibrate/statistics.h"
#include "lpot/core/observer.h"
#include "lpot/quantize/edits.h"
#include "lpot/store/store.h"
#include "lpot/tune/bench.h"

namespace lpot {

class TensorBoard {
 public:
  // The bench must outlive it.
  TensorBoard(const std::filesystem::path& workspace, StudyId, const Bench&);

  // Both warn where files cannot be written or a model gives no finite values: a study does not end for that.
  void add_fp32(const Measured&, const Statistics&, const Observer&) const;
  void add_trial(const Trial&, const Edits&, std::size_t samples, const Observer&) const;

 private:
  std::filesystem::path folder_;
  const Bench& bench_;
};

}  // namespace lpot
