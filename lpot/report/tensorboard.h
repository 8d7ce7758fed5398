// tuning.tensorboard: writes histograms of the inputs and weights of quantized ops, and the scores of each trial, as
// TensorBoard files.
//
//   $ tensorboard --logdir lpot_workspace/net-onnx/tensorboard
//
// One folder for fp32 and one for each trial, so that TensorBoard overlays them; the step is the trial's
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

// The source of the histograms. The references must outlive the TensorBoard.
struct TensorBoardSource {
  const Model& model;
  const std::vector<QuantizableOp>& ops;
  const DataLoader& calibration;
  std::size_t samples = 0;  // of the calibration data, for each trial; 0: no activations
};

class TensorBoard {
 public:
  TensorBoard(const std::filesystem::path& workspace, StudyId, const TensorBoardSource&);

  // Both log a warning where a file cannot be written or a model gives no finite values; the study continues.
  void add_fp32(const Measurement&, const Statistics&, const Observer&) const;
  void add_trial(const Trial&, const Edits&, const Observer&) const;

 private:
  std::filesystem::path folder_;
  TensorBoardSource source_;
};

}  // namespace lpot
