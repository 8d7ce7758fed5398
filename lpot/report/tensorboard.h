// tuning.tensorboard: histograms of what goes into quantized ops and of their weights, with the scores of each trial,
// as files that TensorBoard shows.
//
//   $ tensorboard --logdir lpot_workspace/net-onnx/tensorboard
//
// One folder for fp32 and one for each trial, so that TensorBoard lays them over each other; the step is the trial's
// number. Activations are those of the calibration samples, before they are quantized.
#pragma once
#include <filesystem>

#include "lpot/calibrate/statistics.h"
#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/model/model.h"
#include "lpot/plan/capability.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/store/store.h"

namespace lpot {

// What the histograms are made of. The references must outlive the TensorBoard.
struct TensorBoardSource {
  const Model& model;
  const std::vector<QuantizableOp>& ops;
  const DataLoader& calibration;
  std::size_t samples = 0;  // of the calibration data, for each trial; 0: no activations
};

class TensorBoard {
 public:
  TensorBoard(const std::filesystem::path& workspace, StudyId, const TensorBoardSource&);

  // Both warn where files cannot be written or a model gives no finite values: a study does not end for that.
  void add_fp32(const Measured&, const Statistics&, const Observer&) const;
  void add_trial(const Trial&, const Edits&, const Observer&) const;

 private:
  std::filesystem::path folder_;
  TensorBoardSource source_;
};

}  // namespace lpot
