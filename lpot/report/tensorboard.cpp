#include "lpot/report/tensorboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <set>

#include "lpot/calibrate/observe.h"
#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/data/tfrecord_writer.h"
#include "lpot/proto/proto_writer.h"
#include "lpot/quantize/graph/quantizable_ops.h"
#include "lpot/quantize/writers/openvino.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kBuckets = 128;

// The messages, of TensorFlow's event.proto and summary.proto:
//   Event {double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5;}
//   Summary {repeated Value value = 1;}  Value {string tag = 1; float simple_value = 2; HistogramProto histo = 5;}
//   HistogramProto {double min = 1, max = 2, num = 3, sum = 4, sum_squares = 5; repeated double bucket_limit = 6,
//                   bucket = 7;}
std::string encode_value(const std::string& tag, std::string_view value) {
  return proto::block(1, proto::block(1, tag).append(value));
}

std::string encode_scalar(const std::string& tag, double value) {
  return encode_value(tag, proto::number(2, static_cast<float>(value)));
}

std::string encode_histogram(const std::string& tag, const TensorStatistics& tensor) {
  const Histogram& histogram = tensor.histogram();
  const auto low = static_cast<double>(tensor.min()), high = static_cast<double>(tensor.max());
  const double width = high > low ? (high - low) / kBuckets : 1;
  std::vector<double> limits, counts(kBuckets, 0.0);
  for (std::size_t i = 1; i <= kBuckets; ++i) limits.push_back(low + width * static_cast<double>(i));
  for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
    const double middle = histogram.bin_low(i) + histogram.bin_width() / 2;
    counts[static_cast<std::size_t>(std::clamp((middle - low) / width, 0.0, kBuckets - 1.0))] +=
        static_cast<double>(histogram.counts()[i]);
  }
  if (histogram.counts().empty()) counts[0] = static_cast<double>(histogram.total());  // zeros alone
  double sum = 0, sum_of_squares = 0;
  for (const ChannelStatistics& channel : tensor.channels()) {
    sum += channel.sum;
    sum_of_squares += channel.sum_of_squares;
  }
  return encode_value(tag, proto::block(5, proto::number(1, low) + proto::number(2, high) +
                                               proto::number(3, static_cast<double>(histogram.total())) +
                                               proto::number(4, sum) + proto::number(5, sum_of_squares) +
                                               proto::numbers(6, limits) + proto::numbers(7, counts)));
}

// One run of TensorBoard: a folder with one file.
void write_run(const fs::path& folder, std::size_t step, const std::string& values) {
  create_folder(folder);
  const auto now = static_cast<double>(std::time(nullptr));
  TFRecordWriter writer(folder / fmt::format("events.out.tfevents.{:.0f}.lpot", now));
  writer.add(proto::number(1, now) + proto::block(3, "brain.Event:2"));
  writer.add(proto::number(1, now) + proto::integer(2, step) + proto::block(5, values));
  writer.finish();
}

std::string encode_scores(const Measurement& measured) {
  std::string values = encode_scalar("accuracy", measured.accuracy);
  for (const auto& [name, value] : measured.metrics) values += encode_scalar("metric/" + name, value);
  return values + encode_scalar("latency_ms", measured.latency_ms) + encode_scalar("speedup", measured.speedup) +
         encode_scalar("size_bytes", static_cast<double>(measured.size_bytes));
}

std::string encode_activations(const Statistics& statistics) {
  std::string values;
  for (const auto& [tensor, found] : statistics)
    if (!found.empty()) values += encode_histogram("activation/" + tensor, found);
  return values;
}

std::string encode_weights(const std::string& op, const std::vector<float>& weights) {
  TensorStatistics statistics;
  statistics.add(Tensor::from<float>({weights.size()}, weights), kNoChannels);
  return encode_histogram("weight/" + op, statistics);
}

// The weights of all ops in fp32.
std::string encode_fp32_weights(const TensorBoardSource& source) {
  std::string values;
  for (const auto& [op, weights] : float_weights(source.model, source.ops)) values += encode_weights(op, weights);
  return values;
}

// The dequantized values of int8 weights.
std::vector<float> dequantized(const QuantizedWeights& weights, const Shape& shape) {
  std::vector<float> values(weights.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t scale = 0, step = 1, rest = i;  // the scales' shape is the weights' with ones in it, or one number
    for (std::size_t d = std::min(shape.size(), weights.scale_shape.size()); d-- > 0;) {
      if (weights.scale_shape[d] != 1) {
        scale += rest % shape[d] * step;
        step *= weights.scale_shape[d];
      }
      rest /= shape[d];
    }
    values[i] = static_cast<float>(weights.values[i]) * weights.scales[scale];
  }
  return values;
}

std::string encode_int8_weights(const TensorBoardSource& source, const Edits& edits) {
  std::map<std::string, Shape> shapes;
  for (const QuantizableOp& op : source.ops) shapes.emplace(op.name, op.weight_shape);
  std::string values;
  for (const OpEdit& op : edits.ops) values += encode_weights(op.op, dequantized(op.weights, shapes.at(op.op)));
  return values;
}

// The points that the int8 model still has, because kernel variants and recipes may have replaced a tensor.
std::vector<ObservationPoint> points_in(const Model& int8, const std::vector<ObservationPoint>& points) {
  const std::set<std::string> tensors = float_tensors(int8);
  std::vector<ObservationPoint> found;
  std::copy_if(points.begin(), points.end(), std::back_inserter(found),
               [&](const ObservationPoint& point) { return tensors.contains(point.tensor); });
  return found;
}

void warn(const Observer& observer, const Error& error) {
  observer.log(LogLevel::Warning, fmt::format("tuning.tensorboard: {}", error.what()));
}

}  // namespace

TensorBoard::TensorBoard(const fs::path& workspace, StudyId study, const TensorBoardSource& source)
    : folder_(workspace / "tensorboard" / fmt::format("study-{}", study)), source_(source) {}

void TensorBoard::add_fp32(const Measurement& baseline, const Statistics& statistics, const Observer& observer) const {
  try {
    write_run(folder_ / "fp32", 0,
              encode_scores(baseline) + encode_activations(statistics) + encode_fp32_weights(source_));
  } catch (const Error& error) {
    warn(observer, error);
  }
}

void TensorBoard::add_trial(const Trial& trial, const Edits& edits, const Observer& observer) const {
  if (!trial.result) return;
  try {
    std::string values = encode_scores(*trial.result) + encode_int8_weights(source_, edits);
    if (source_.samples > 0) {
      const Model int8 = apply(source_.model, edits);
      values += encode_activations(observe(int8, points_in(int8, observation_points(source_.ops)), source_.calibration,
                                           {.sampling_sizes = {source_.samples}}, observer)
                                       .snapshots.back());
    }
    write_run(folder_ / fmt::format("trial-{:03}", trial.number), trial.number, values);
  } catch (const Error& error) {
    warn(observer, error);
  }
}

}  // namespace lpot
