#include "lpot/quantize/kernel_variants/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <openvino/core/version.hpp>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>
#include <set>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/json.h"
#include "lpot/model/bodies.h"
#include "lpot/model/reshape.h"
#include "lpot/quantize/graph/quantizable_ops.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

// Increment it when a kernel variant is written or timed differently, so that old measurements are no longer used.
constexpr int kVariantsVersion = 3;

// Locks a file beside the cache while the cache is read, extended and replaced.
class FileLock {
 public:
  explicit FileLock(const fs::path& file)
      : fd_(::open((file.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (fd_ >= 0) ::flock(fd_, LOCK_EX);
  }
  ~FileLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int fd_;
};

Json read_cache(const fs::path& file) {
  try {
    const std::vector<std::uint8_t> bytes = read_file(file);
    Json json = parse_json_or_discard({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return json.is_object() ? json : Json::object();
  } catch (const DataError&) {
    return Json::object();
  }
}

std::string shape_of(const ov::PartialShape& shape) { return shape.to_string(); }

// The last node of the op's measured time: the addition of its bias, or the op itself.
const ov::Node& end_of(const ov::Node& node) {
  const auto readers = node.output(0).get_target_inputs();
  if (readers.size() != 1) return node;
  const ov::Node* reader = readers.begin()->get_node();
  const bool is_bias = std::string_view(reader->get_type_name()) == "Add" &&
                       ov::is_type<ov::opset8::Constant>(reader->get_input_node_ptr(1 - readers.begin()->get_index()));
  return is_bias ? *reader : node;
}

std::string attributes_of(const ov::Node& node) {
  const auto text = [](const auto& convolution) {
    return fmt::format(" strides {} pads {} {} dilations {}", fmt::join(convolution->get_strides(), ","),
                       fmt::join(convolution->get_pads_begin(), ","), fmt::join(convolution->get_pads_end(), ","),
                       fmt::join(convolution->get_dilations(), ","));
  };
  if (const auto convolution = ov::as_type<const ov::opset8::Convolution>(&node)) return text(convolution);
  if (const auto grouped = ov::as_type<const ov::opset8::GroupConvolution>(&node)) return text(grouped);
  if (const auto transposed = ov::as_type<const ov::opset8::ConvolutionBackpropData>(&node)) return text(transposed);
  if (const auto gru = ov::as_type<const ov::opset8::GRUSequence>(&node))
    return gru->get_linear_before_reset() ? " linear_before_reset" : "";
  return "";
}

std::string signature(const ov::Node& node, const OpPlan& plan) {
  std::set<std::string> readers;
  for (const auto& reader : end_of(node).output(0).get_target_inputs())
    readers.insert(reader.get_node()->get_type_name());
  return fmt::format("{} {} x {} -> {}{}, {} {}, behind {}, before {}", node.get_type_name(),
                     shape_of(node.get_input_partial_shape(0)), shape_of(node.get_input_partial_shape(1)),
                     shape_of(node.get_output_partial_shape(0)), attributes_of(node),
                     to_string(plan.activation.symmetry), to_string(plan.weight.granularity),
                     node.get_input_node_ptr(0)->get_type_name(), fmt::join(readers, " "));
}

}  // namespace

std::shared_ptr<ov::Model> graph_for(const Model& model, const std::vector<Tensor>& inputs) {
  std::vector<Shape> shapes;
  for (const Tensor& input : inputs) shapes.push_back(input.shape());
  try {
    return reshaped_graph(model, shapes);
  } catch (const ov::Exception& error) {
    throw ModelError("kernel_variants", error.what());
  }
}

std::map<std::string, std::string> op_signatures(const Model& model, const Plan& plan,
                                                 const std::vector<Tensor>& inputs) {
  const auto graph = graph_for(model, inputs);
  std::map<std::string, std::string> signatures;
  for (const auto& node : all_ops(*graph)) {
    const auto op = plan.ops.find(op_name(*node));
    if (op == plan.ops.end() || op->second.precision != Precision::Int8 || !find_capability(node->get_type_name()))
      continue;
    std::string text = signature(*node, op->second);
    if (plan.inference_precision != InferencePrecision::F32)
      text += fmt::format(", others in {}", to_string(plan.inference_precision));
    // If shapes depend on data, only the shapes of the model's inputs are known.
    if (node->is_dynamic())
      for (std::size_t i = 0; i < inputs.size(); ++i)
        text += fmt::format(", input {} {}", i, shape_of(graph->input(i).get_partial_shape()));
    signatures.emplace(op->first, std::move(text));
  }
  return signatures;
}

KernelVariantCache::KernelVariantCache(fs::path file, const Cpu& cpu)
    : file_(std::move(file)),
      machine_(fmt::format("{}, {} cores, OpenVINO {}, forms {}", cpu.cpu_class(), cpu.cores,
                           ov::get_openvino_version().buildNumber, kVariantsVersion)) {}

std::optional<KernelVariantChoice> KernelVariantCache::find(
    const std::map<std::string, std::string>& signatures) const {
  if (file_.empty() || signatures.empty()) return std::nullopt;
  const Json all = read_cache(file_);
  const auto of_machine = all.find(machine_);
  if (of_machine == all.end() || !of_machine->is_object()) return std::nullopt;
  Json by_op = Json::object();
  for (const auto& [op, text] : signatures) {
    const auto known = of_machine->find(text);
    if (known == of_machine->end()) return std::nullopt;
    by_op[op] = *known;
  }
  try {
    return kernel_variants_from_json(by_op.dump());
  } catch (const StoreError&) {
    return std::nullopt;
  }
}

void KernelVariantCache::store(const std::map<std::string, std::string>& signatures,
                               const KernelVariantChoice& choice) const {
  if (file_.empty()) return;
  const Json by_op = Json::parse(to_json(choice));
  try {
    create_folder(file_.has_parent_path() ? file_.parent_path() : ".");
    const FileLock lock(file_);
    Json all = read_cache(file_);
    Json& of_machine = all[machine_];
    if (!of_machine.is_object()) of_machine = Json::object();
    for (const auto& [op, text] : signatures)
      if (by_op.contains(op)) of_machine[text] = by_op[op];
    write_file(file_, all.dump(1) + "\n");
  } catch (const StoreError&) {  // without the cache the next run only takes longer
  }
}

}  // namespace lpot
