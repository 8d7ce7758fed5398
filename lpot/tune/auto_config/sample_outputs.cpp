#include "lpot/tune/auto_config/sample_outputs.h"

#include <algorithm>
#include <deque>

#include "lpot/data/loader.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

constexpr std::size_t kBatch = 16;
constexpr std::size_t kMapsToJudge = 8;       // samples whose outputs are stored as maps
constexpr std::size_t kMapValues = 8u << 20;  // of one sample; larger outputs are not stored as maps
constexpr std::uint64_t kSampleSeed = 7;

// Collects the first output of all batches.
class FirstOutputCollector {
 public:
  void add(const std::vector<Tensor>& outputs) {
    const Tensor& output = outputs.at(0);
    result_.shapes = shapes_of_outputs(outputs);
    result_.last_outputs = outputs;
    const Tensor values = output.converted(ElementType::F64);
    const std::size_t count = values.shape().empty() ? 0 : values.shape()[0];
    if (count == 0) return;
    set_shape(values.shape());
    const double* value = values.data<double>();
    const std::size_t columns = values.size() / count;
    for (std::size_t i = 0; i < count; ++i, value += columns) {
      if (result_.maps.size() < kMapsToJudge && columns <= kMapValues) result_.maps.push_back(output.slice(i));
      if (result_.shape.size() <= 1 && result_.has_one_shape) result_.rows.emplace_back(value, value + columns);
      for (std::size_t k = 0; k < columns; ++k) add(value[k]);
    }
    result_.samples += count;
  }

  SampleOutputs result(std::vector<Tensor> labels) && {
    result_.variance = values_ > 0 ? squares_ / values_ : 0;
    for (const Tensor& label : labels) {
      if (label.empty() || label.size() != 1 || !is_integer_type(label.element_type())) {
        result_.labels.clear();
        break;
      }
      result_.labels.push_back(static_cast<std::int64_t>(label.value_at(0)));
    }
    return std::move(result_);
  }

 private:
  void set_shape(const Shape& batch) {
    Shape shape;
    for (std::size_t i = 1; i < batch.size(); ++i)
      if (batch[i] != 1) shape.push_back(batch[i]);
    if (result_.samples > 0 && shape != result_.shape) {
      result_.has_one_shape = false;
      result_.rows.clear();
    }
    result_.shape = std::move(shape);
  }

  // Welford's update, which is exact also if the mean is far from zero.
  void add(double value) {
    values_ += 1;
    const double difference = value - mean_;
    mean_ += difference / values_;
    squares_ += difference * (value - mean_);
  }

  SampleOutputs result_;
  double values_ = 0, mean_ = 0, squares_ = 0;
};

}  // namespace

LoaderConfig loader_config(const DataText& data, std::size_t batch_size) {
  LoaderConfig config;
  config.batch_size = batch_size;
  config.dataset = parse_component(data.dataset, component_tables().datasets);
  for (const std::string& line : data.transforms)
    config.transforms.push_back(parse_component(line, component_tables().transforms));
  return config;
}

std::size_t accepted_batch(const std::vector<Port>& inputs, std::size_t wanted) {
  for (const Port& input : inputs)
    if (!input.shape.empty() && input.shape[0] > 0) return static_cast<std::size_t>(input.shape[0]);
  return wanted;
}

SampleRunner::SampleRunner(const Model& model, const Observer& observer)
    : model_(model), observer_(observer), batch_size_(accepted_batch(model_inputs(model), kBatch)) {}

SampleOutputs SampleRunner::run(const DataText& data, std::size_t count) {
  return run(make_loader(loader_config(data, batch_size_), kSampleSeed), count);
}

SampleOutputs SampleRunner::run(const DataLoader& all, std::size_t count) {
  LoaderOptions options = all.options();
  options.shuffle = true;
  options.limit = count;
  const DataLoader loader = all.with(options);
  if (!runner_) runner_.emplace(model_, loader.dataset().input_naming(), RunnerOptions{.observer = &observer_});
  BatchStream batches = loader.read();
  std::vector<Tensor> labels;
  std::vector<Shape> input_shapes;
  std::size_t last_count = 0;
  FirstOutputCollector outputs;
  runner_->run(
      [&]() -> std::optional<std::vector<Tensor>> {
        observer_.check_stop();
        auto batch = batches.next();
        if (!batch) return std::nullopt;
        labels.insert(labels.end(), batch->labels.begin(), batch->labels.end());
        last_count = batch->labels.size();
        input_shapes.clear();
        for (const Tensor& input : batch->inputs) input_shapes.push_back(input.shape());
        return std::move(batch->inputs);
      },
      [&](const std::vector<Tensor>& results) { outputs.add(results); });
  const std::size_t samples = labels.size();
  SampleOutputs found = std::move(outputs).result(std::move(labels));
  found.last_inputs = std::move(input_shapes);
  found.last_count = last_count;
  found.has_row_per_sample = found.samples == samples;
  return found;
}

}  // namespace lpot
