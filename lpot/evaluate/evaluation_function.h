// A function of the caller that scores a model, in place of data and metrics.
//
//   EvaluationFunction evaluation = [](const EvaluationRequest& request) {
//     return request.is_fp32 ? 0.92 : my_accuracy(request.model);
//   };
//   tune(config, {.model = "net.onnx", .user = {.evaluation = {"mine", evaluation}}});
//
#pragma once
#include <functional>

#include "lpot/core/observer.h"
#include "lpot/model/model.h"

namespace lpot {

struct EvaluationRequest {
  const Model& model;
  bool is_fp32 = false;  // the original model of the study
  const Observer& observer;
};

using EvaluationFunction = std::function<double(const EvaluationRequest&)>;  // returns the accuracy

}  // namespace lpot
