// Names that the examples in headers may use without declaring them. scripts/header_examples.py extracts the examples.
// They are compiled and not run, so nothing here is defined.
#pragma once
#include <atomic>
#include <cassert>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/core/mapped_file.h"
#include "lpot/data/text/vocabulary.h"
#include "lpot/data/tf_example.h"
#include "lpot/data/transforms/image.h"
#include "lpot/distributed/batch_executor.h"
#include "lpot/distributed/coordinator.h"
#include "lpot/distributed/worker.h"
#include "lpot/evaluate/evaluate.h"
#include "lpot/lpot.h"
#include "lpot/metrics/detections.h"
#include "lpot/model/load.h"
#include "lpot/model/trusted_models.h"
#include "lpot/quantize/graph/level_groups.h"
#include "lpot/quantize/recipes/table.h"
#include "lpot/quantize/writers/openvino.h"
#include "lpot/store/store.h"
#include "lpot/strategies/op_noise.h"
#include "lpot/tune/candidate_builder.h"
#include "lpot/tune/next_model.h"
#include "lpot/tune/setup.h"
#include "lpot/tune/study.h"
#include "lpot/tune/workspace.h"

// Examples declare variables of the same names, variables that nothing reads, and leave out what does not matter.
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wunused-result"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace lpot::examples {

template <typename... Values>
bool use(const Values&...);

extern Config config;
extern Model model;
extern std::shared_ptr<const Dataset> dataset;
extern std::shared_ptr<ov::Model> half_graph;
extern DataLoader loader;
extern Observer observer;
extern Statistics statistics;
extern Plan plan;
extern Trial trial;
extern std::vector<Trial> trials;
extern std::vector<Tensor> inputs, outputs, labels;
extern Transport& transport;
extern Store& store;
extern StudyId study;
extern std::string text, bytes;
extern std::vector<std::string> names;
extern std::filesystem::path path, cache;
extern std::string key;
extern std::atomic<bool> interrupted;
extern std::vector<QuantizableOp> ops;
extern bool half_range;

// Names that mean something else in another folder.
namespace in_core {
double measure();
}

namespace in_data {
extern Transform resize;
extern std::shared_ptr<const Vocabulary> vocabulary;
extern std::vector<double> row;
extern Sample sample;
extern ImageLayout layout;
}  // namespace in_data

namespace in_distributed {
extern BatchCollector& collector;
extern std::shared_ptr<BatchEncoder> encoder;
extern Coordinator& coordinator;
extern WorkerTask task;
WorkerTask make_task(const std::string& order);
extern nlohmann::json order;
extern int rank;
extern std::string summary;
}  // namespace in_distributed

namespace in_evaluate {
extern std::vector<NamedMetric> metrics;
extern EvaluateOptions options;
extern std::vector<std::size_t> positions;
extern std::size_t position;
extern SampleScores baseline, candidate;
extern SampleScore score;
extern BatchResult batch;
extern std::vector<Found> found;
double my_accuracy(const Model&);
}  // namespace in_evaluate

namespace in_metrics {
extern std::vector<Image> images;
}

namespace in_model {
extern std::set<std::string> names;
extern std::string header, body;
void check_in_sandbox();
}  // namespace in_model

namespace in_plan {
extern StudyOutcome outcome;
extern KernelVariantChoice choice, variants;
extern std::map<std::string, double> noise;
}  // namespace in_plan

namespace in_proto {
extern std::vector<std::uint8_t> bytes;
extern double wall_time;
}  // namespace in_proto

namespace in_quantize {
extern std::vector<float> values;
extern Shape shape;
extern TensorScheme scheme;
extern PlanChoices choices;
extern LeveledTensors tensors;
OpEdit double_bias(const QuantizationTarget&, const QuantizedRows&, OpEdit);
}  // namespace in_quantize

namespace in_store {
extern StudyIdentity identity;
Measurement measure_fp32();
}  // namespace in_store

namespace in_strategies {
extern SearchSpace space;
extern History history;
extern Replay replay;
extern StartingPlan start;
}  // namespace in_strategies

namespace in_tune {
extern QuantizationTask task;
extern StatisticsByPlan statistics_by_plan;
extern PlanFinalizer finalizer;
extern PlanChoices choices;
extern CandidateBuilder& builder;
extern NextModel next;
extern NextModel::Build build;
extern Step step;
extern StudyId id;
extern SearchSpace space;
extern Goal goal;
extern Strategy& strategy;
extern Attempt attempt;
extern StudyEvents events;
extern std::shared_ptr<const Dataset> pictures;
extern std::shared_ptr<const Metric> metric;
}  // namespace in_tune

}  // namespace lpot::examples
