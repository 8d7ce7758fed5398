#include "lpot/config/read_parts.h"

namespace lpot::yaml {
namespace {

template <typename Word>
std::vector<Word> words(const Parameters& values, const std::string& key) {
  std::vector<Word> found;
  if (!values.has(key)) return found;
  for (const std::string& name : values.texts(key)) found.push_back(*parse<Word>(name));
  return found;
}

TensorRestriction read_tensor(const Section& section) {
  const Parameters& values = section.values();
  TensorRestriction restriction{.precisions = words<Precision>(values, "dtype"),
                                .granularities = words<Granularity>(values, "granularity"),
                                .symmetries = words<Symmetry>(values, "scheme"),
                                .algorithms = words<Algorithm>(values, "algorithm"),
                                .bits = {}};
  if (values.has("bit")) restriction.bits = values.number("bit");
  return restriction;
}

std::optional<Subset> read_subset(const Section& loader) {
  const Node* written = loader.find("subset");
  if (!written || !loader.values().has("subset")) return std::nullopt;
  const std::vector<double>& limits = loader.values().numbers("subset");
  if (limits.size() != 2 || limits[0] >= limits[1])
    fail(written->place, loader.path_of(*written), "expected [from, to] with from < to, for example [0, 0.2]");
  return Subset{limits[0], limits[1]};
}

std::optional<int> optional_int(const Parameters& values, const std::string& key) {
  if (!values.has(key)) return std::nullopt;
  return static_cast<int>(values.integer(key));
}

}  // namespace

std::optional<LoaderConfig> read_loader(const Section& parent, const ComponentTables& tables) {
  if (!parent.has("dataloader")) return std::nullopt;
  const Section section = parent.section("dataloader");
  const Parameters& values = section.values();
  LoaderConfig loader;
  loader.place = section.place();
  loader.batch_size = static_cast<std::size_t>(values.integer("batch_size"));
  if (values.text("last_batch") == "discard") loader.last_batch = LastBatch::Discard;
  loader.shuffle = values.flag("shuffle");
  if (values.has("sequence_length"))
    loader.sequence_lengths.assign(values.integers("sequence_length").begin(),
                                   values.integers("sequence_length").end());
  loader.subset = read_subset(section);
  loader.skip_unreadable = values.text("on_error") == "skip";
  const Section filter = section.section("filter");
  if (filter.has("LabelBalance"))
    loader.label_balance = static_cast<std::size_t>(filter.section("LabelBalance").values().integer("size"));
  const Node* dataset = section.find("dataset");
  if (!dataset) fail(loader.place, section.path() + ".dataset", "missing; expected the name of a data set");
  loader.dataset = read_one_component(*dataset, section.path_of(*dataset), {tables.datasets, "data set"});
  if (const Node* transform = section.find("transform"); transform && !transform->is_null())
    loader.transforms = read_components(*transform, section.path_of(*transform), {tables.transforms, "transform"});
  return loader;
}

OpRestriction read_restriction(const Section& section) {
  return {.weight = read_tensor(section.section("weight")),
          .activation = read_tensor(section.section("activation")),
          .place = section.place()};
}

std::vector<std::pair<std::string, OpRestriction>> read_op_wise(const Section& parent) {
  const Node* written = parent.find("op_wise");
  if (!written || written->is_null()) return {};
  const Node& ops = *written;
  const std::string path = parent.path_of(ops);
  if (!ops.is_map()) fail(ops.place, path, "expected a map with node names as keys, got " + describe_node(ops));
  std::vector<std::pair<std::string, OpRestriction>> restrictions;
  for (const Node& op : ops.items) {
    if (const Node* first = find(ops, op.key); first != &op)
      fail(op.place, path_of(path, op), "duplicate key; first defined at " + to_string(first->place));
    restrictions.emplace_back(op.key, read_restriction(Section(parent.keys(), op, path_of(path, op), "op")));
  }
  return restrictions;
}

InstanceConfig read_instances(const Section& section) {
  const Parameters& values = section.values();
  return {.cores_per_instance = optional_int(values, "cores_per_instance"),
          .num_of_instance = optional_int(values, "num_of_instance"),
          .inter_num_of_threads = optional_int(values, "inter_num_of_threads"),
          .intra_num_of_threads = optional_int(values, "intra_num_of_threads"),
          .kmp_blocktime = optional_int(values, "kmp_blocktime")};
}

std::int64_t read_iteration(const Section& section) {
  const std::int64_t iteration = section.values().integer("iteration");
  if (iteration != 0) return iteration;
  const Node& written = *section.find("iteration");
  fail(written.place, section.path_of(written), "expected -1 (all) or an integer >= 1, got '0'");
}

}  // namespace lpot::yaml
