#include "lpot/model/onnx_file.h"
#include "lpot/model/source_graph.h"
#include "lpot/model/wire_check.h"
#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void graph(Bytes bytes) {
  const ModelFormat format = choose(bytes, 2) == 0 ? ModelFormat::Onnx : ModelFormat::TensorFlow;
  const auto path = write("model", bytes);
  find_wire_damage(path);
  read_wire_texts(path, {7, 1, 3});
  expect_errors([&] { read_operator_sets(bytes); });
  expect_errors([&] {
    const SourceGraph graph = read_source_graph(path, format);
    for (const std::string& tensor : graph.tensor_names()) describe_tensor(graph, tensor);
    to_sentence(advise_cut(graph, {"Mfcc", "Conv"}, {}));
    to_sentence(advise_cut(graph, {"Relu"}, {"out:0"}));
  });
}

}  // namespace lpot::fuzz
