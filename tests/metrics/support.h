// Functions that the tests of metrics share.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lpot/core/error.h"
#include "lpot/metrics/metric.h"

namespace lpot {

inline std::unique_ptr<Metric> metric(const std::string& name, std::map<std::string, Value> values = {}) {
  return make_metric({name, Parameters(std::move(values)), {}});
}

inline std::unique_ptr<Metric> topk(std::int64_t k) { return metric("topk", {{"k", k}}); }
inline std::unique_ptr<Metric> mse(bool compare_label = true) {
  return metric("MSE", {{"compare_label", compare_label}});
}

inline std::unique_ptr<Metric> rmse(bool compare_label = true) {
  return metric("RMSE", {{"compare_label", compare_label}});
}
inline std::unique_ptr<Metric> mae(bool compare_label = true) {
  return metric("MAE", {{"compare_label", compare_label}});
}
inline std::unique_ptr<Metric> f1(const std::string& average = "binary") {
  return metric("F1", {{"average", average}});
}
inline std::unique_ptr<Metric> glue(const std::string& task) { return metric("GLUE", {{"task", task}}); }
inline std::unique_ptr<Metric> glue(const std::string& task, const std::string& measure) {
  return metric("GLUE", {{"task", task}, {"measure", measure}});
}
inline std::unique_ptr<Metric> miou(std::int64_t classes) {
  return metric("mIOU", {{"num_classes", classes}, {"compare_label", true}});
}
inline std::unique_ptr<Metric> sts(const std::string& measure) { return metric("STS", {{"measure", measure}}); }
inline std::unique_ptr<Metric> pixel_agreement(const std::string& class_axis = "auto", double threshold = 0.5) {
  return metric("PixelAgreement", {{"class_axis", class_axis}, {"threshold", threshold}});
}
inline std::unique_ptr<Metric> recall_at(std::int64_t k, bool compare_label = true) {
  return metric("RecallAtK", {{"k", k}, {"compare_label", compare_label}});
}
inline std::unique_ptr<Metric> detection(const std::string& name, const std::string& thresholds, std::int64_t points) {
  return metric(name, {{"iou_thrs", thresholds}, {"map_points", points}});
}

inline std::unique_ptr<Metric> box_agreement(double score_threshold, const std::string& thresholds = "0.5") {
  return metric("BoxAgreement",
                {{"iou_thrs", thresholds}, {"map_points", std::int64_t{0}}, {"score_threshold", score_threshold}});
}

inline Tensor row(const std::vector<float>& values) { return Tensor::from<float>({values.size()}, values); }

inline Tensor matrix(const std::vector<std::vector<float>>& rows) {
  std::vector<float> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return Tensor::from<float>({rows.size(), rows.empty() ? 0 : rows[0].size()}, values);
}

inline std::vector<Tensor> scalars(const std::vector<std::int64_t>& numbers) {
  std::vector<Tensor> labels;
  for (const std::int64_t number : numbers) labels.push_back(Tensor::scalar(number));
  return labels;
}

inline double score(Metric& metric, const std::vector<std::vector<float>>& rows, const std::vector<Tensor>& labels) {
  metric.update({matrix(rows)}, labels);
  return metric.result();
}

inline std::string data_error_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const DataError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

}  // namespace lpot
