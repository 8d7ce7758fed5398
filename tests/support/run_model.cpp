// run_model MODEL INPUT: runs a model on the floats of a file. Prints the convolution and product kernels, one per
// line, and then the values of the first output.
#include <algorithm>
#include <cstdio>
#include <exception>

#include "lpot/core/file.h"
#include "lpot/model/load.h"
#include "lpot/runtime/executable.h"

int main(int count, char** words) try {
  if (count != 3) return 2;
  const lpot::Model model = lpot::load_model(words[1]);
  lpot::Shape shape;
  const lpot::Port port = lpot::model_inputs(model).at(0);
  for (const std::int64_t size : port.shape) shape.push_back(static_cast<std::size_t>(size));
  const std::vector<std::uint8_t> bytes = lpot::read_file(words[2]);
  lpot::Tensor input(lpot::ElementType::F32, shape);
  if (bytes.size() != input.byte_size()) return 2;
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::uint8_t*>(input.bytes()));
  lpot::Executable executable(model);
  const lpot::Tensor output = executable.infer({input}).at(0);
  for (const lpot::ExecutedOp& op : executable.executed_ops())
    if (op.type == "Convolution" || op.type == "FullyConnected") std::printf("kernel %s\n", op.kernel.c_str());
  for (std::size_t i = 0; i < output.size(); ++i) std::printf("%.9g\n", static_cast<double>(output.data<float>()[i]));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
