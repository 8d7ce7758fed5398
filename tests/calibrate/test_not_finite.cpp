#include <gmock/gmock.h>

#include <limits>
#include <openvino/openvino.hpp>
#include <openvino/opsets/opset8.hpp>

#include "lpot/calibrate/observe.h"
#include "lpot/core/error.h"

namespace lpot {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
namespace op = ov::opset8;

// Ones, except one sample with a NaN.
class OneBadSample : public Dataset {
 public:
  explicit OneBadSample(std::size_t bad) : bad_(bad) {}
  std::size_t size() const override { return 10; }
  Sample at(std::size_t index) const override {
    const float value = index == bad_ ? std::numeric_limits<float>::quiet_NaN() : 1.0f;
    return {{Tensor::from<float>({2}, {1.0f, value})}, {}};
  }
  std::string identity() const override { return "one bad sample"; }

 private:
  std::size_t bad_;
};

// x -> double [batch, 2] -> transposed [2, batch].
Model network() {
  const auto x = std::make_shared<op::Parameter>(ov::element::f32, ov::PartialShape{-1, 2});
  const auto doubled = std::make_shared<op::Add>(x, x);
  doubled->set_friendly_name("double");
  const auto order = op::Constant::create(ov::element::i64, {2}, {1, 0});
  const auto transposed = std::make_shared<op::Transpose>(doubled, order);
  transposed->set_friendly_name("transposed");
  Model model;
  model.graph = std::make_shared<ov::Model>(ov::OutputVector{transposed}, ov::ParameterVector{x});
  return model;
}

std::string message_for(std::size_t bad, std::size_t batch_size, const std::string& tensor) {
  const DataLoader loader(std::make_unique<OneBadSample>(bad), {}, {.batch_size = batch_size});
  try {
    observe(network(), {{tensor, 0}}, loader, {.sampling_sizes = {10}, .threads = 1});
  } catch (const DataError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(NotFinite, IsReportedWithTensorAndSample) {
  for (const std::size_t bad : {0u, 5u, 6u, 9u})
    for (const std::size_t batch : {1u, 3u, 4u})
      EXPECT_THAT(message_for(bad, batch, "double"),
                  AllOf(HasSubstr("'double'"), HasSubstr("sample " + std::to_string(bad) + ",")));
}

TEST(NotFinite, IsReportedWithTheWholeBatchIfTheBatchIsNotTheFirstDimension) {
  EXPECT_THAT(message_for(5, 4, "transposed"), HasSubstr("samples 4 to 7, tensor 'transposed'"));
  EXPECT_THAT(message_for(5, 1, "transposed"), HasSubstr("sample 5, tensor"));
}

}  // namespace
}  // namespace lpot
