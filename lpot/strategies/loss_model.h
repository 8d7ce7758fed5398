// Predicts the loss of accuracy of plans in which some ops fall back, from plans whose loss is known.
//
//   LossModel model(0, 0.004);                       // no loss without int8; losses of similar plans differ by 0.004
//   model.add({.noise = 1, .loss = 0.02});           // all ops in int8 lose 2 points
//   model.probability_to_pass(0.3, 0.01);            // a plan with 30% of this noise probably loses less than 1 point
//
// Noise is the power that int8 adds to the outputs. It adds up over ops. As long as it is small, the loss is
// proportional to the power: as many answers become right as wrong, except near the limit of what the model can do.
// If it is large, the loss grows more slowly, with the root of the power. So a known loss is extrapolated in proportion
// to the power, and the difference from the extrapolation in proportion to the root is its error.
//
// Two plans with the same noise change different answers. With few changed answers, their losses differ more than the
// noise explains. `spread` is the standard deviation of this difference. A tight goal is met by chance by one of a few
// similar plans, rather than by a much larger fallback set.
#pragma once
#include <optional>
#include <vector>

namespace lpot {

struct LossObservation {
  double noise = 1;  // power, as a share of the plan with all ops in int8
  double loss = 0;   // of accuracy
  double error = 0;  // standard error of the loss; 0: known

  bool operator==(const LossObservation&) const = default;
};

struct LossPrediction {
  double loss = 0;
  double error = 0;
};

class LossModel {
 public:
  // `without_int8`: the loss of the model without int8, in 16-bit precisions. `spread`: at noise 1.
  LossModel(double without_int8, double spread) : without_int8_(without_int8), spread_(spread) {}

  void add(const LossObservation& known) { known_.push_back(known); }

  // The loss of another plan. `estimate`: its own estimated loss, which may be one of the added ones.
  LossPrediction predict(double noise, const std::optional<LossObservation>& estimate = {}) const;
  double probability_to_pass(double noise, double allowed_loss,
                             const std::optional<LossObservation>& estimate = {}) const;

 private:
  LossPrediction extrapolate(const LossObservation&, double noise) const;
  double spread_at(double noise) const;

  double without_int8_, spread_;
  std::vector<LossObservation> known_;
};

}  // namespace lpot
