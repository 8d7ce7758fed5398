// An attention layer built in code: queries, keys, values, their weighted sum, and the output product.
#pragma once
#include "tests/support/graphs.h"

namespace lpot {

struct AttentionOptions {
  std::size_t heads = 4;
  std::size_t width = 32;   // of a head
  float outlier = 1;        // two value channels are this many times larger, and the weights that read them smaller
  float query_outlier = 1;  // the same for the queries, against the keys
  bool values_read_twice = false;
  bool reshaped_shares = false;  // the probabilities are reshaped to rows and back
  bool computed_shapes = false;  // batch and rows are read from the input's shape; the number of heads is inferred
};

// x [batch, rows, heads * width] -> "query", "key", "value" with biases -> "scores", "mix" -> "out"
inline Model attention(const AttentionOptions& options = {}) {
  const std::size_t channels = options.heads * options.width;
  const auto x = parameter({-1, -1, static_cast<std::int64_t>(channels)}, "x");
  std::vector<float> value_weights = random_values(channels * channels, 3, -0.3f, 0.3f);
  std::vector<float> value_bias = random_values(channels, 13),
                     out_weights = random_values(channels * channels, 4, -0.3f, 0.3f);
  for (const std::size_t channel : {5u, 50u}) {
    for (std::size_t i = 0; i < channels; ++i) {
      value_weights[i * channels + channel] *= options.outlier;
      out_weights[channel * channels + i] /= options.outlier;
    }
    value_bias[channel] *= options.outlier;
  }
  const auto projected = [&](const std::string& name, const std::vector<float>& weights,
                             const std::vector<float>& bias) {
    const auto product =
        named(std::make_shared<op::MatMul>(x, constant({channels, channels}, weights), false, false), name);
    const auto sum =
        named(std::make_shared<op::Add>(named(constant({channels}, bias), name + "/bias"), product), name + "/add");
    return std::static_pointer_cast<ov::Node>(sum);
  };
  const auto integers = [](const std::vector<std::int64_t>& values) {
    return op::Constant::create(ov::element::i64, {values.size()}, values);
  };
  const auto rest = [&](std::int64_t first, std::int64_t second) -> std::shared_ptr<ov::Node> {
    if (!options.computed_shapes)
      return integers(second == 0 ? std::vector<std::int64_t>{0, 0, first}
                                  : std::vector<std::int64_t>{0, 0, first, second});
    const auto sizes = std::make_shared<op::Gather>(std::make_shared<op::ShapeOf>(x), integers({0, 1}), integers({0}));
    ov::OutputVector parts{sizes, integers({-1})};
    if (second != 0) parts.push_back(integers({second}));
    return std::make_shared<op::Concat>(parts, 0);
  };
  const auto in_heads = [&](const std::shared_ptr<ov::Node>& node, const std::vector<std::int64_t>& order) {
    const auto heads = static_cast<std::int64_t>(options.heads), width = static_cast<std::int64_t>(options.width);
    return std::make_shared<op::Transpose>(std::make_shared<op::Reshape>(node, rest(heads, width), true),
                                           integers(order));
  };
  std::vector<float> query_weights = random_values(channels * channels, 1, -0.2f, 0.2f);
  std::vector<float> key_weights = random_values(channels * channels, 2, -0.2f, 0.2f);
  std::vector<float> query_bias = random_values(channels, 11), key_bias = random_values(channels, 12);
  for (const std::size_t channel : {7u, 70u}) {
    for (std::size_t i = 0; i < channels; ++i) {
      query_weights[i * channels + channel] *= options.query_outlier;
      key_weights[i * channels + channel] /= options.query_outlier;
    }
    query_bias[channel] *= options.query_outlier;
    key_bias[channel] /= options.query_outlier;
  }
  const auto query = projected("query", query_weights, query_bias);
  const auto key = projected("key", key_weights, key_bias);
  const auto value = projected("value", value_weights, value_bias);
  const auto scores = named(
      std::make_shared<op::MatMul>(in_heads(query, {0, 2, 1, 3}), in_heads(key, {0, 2, 3, 1}), false, false), "scores");
  std::shared_ptr<ov::Node> shares = named(std::make_shared<op::Softmax>(scores, 3), "shares");
  if (options.reshaped_shares) {
    const auto heads_and_rows = std::make_shared<op::ShapeOf>(scores);
    shares = std::make_shared<op::Reshape>(std::make_shared<op::Reshape>(shares, integers({-1, 1}), false),
                                           heads_and_rows, false);
  }
  const auto mix = named(std::make_shared<op::MatMul>(shares, in_heads(value, {0, 2, 1, 3}), false, false), "mix");
  const auto turned = std::make_shared<op::Transpose>(mix, integers({0, 2, 1, 3}));
  const auto joined =
      named(std::make_shared<op::Reshape>(turned, rest(static_cast<std::int64_t>(channels), 0), true), "joined");
  const auto out =
      named(std::make_shared<op::MatMul>(joined, constant({channels, channels}, out_weights), false, false), "out");
  ov::OutputVector outputs{out};
  if (options.values_read_twice) outputs.push_back(named(std::make_shared<op::Relu>(value), "other"));
  return as_model(outputs, {x});
}

}  // namespace lpot
