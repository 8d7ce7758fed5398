#include "lpot/tune/auto_config/sample_outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lpot/tune/auto_config/output_role.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

constexpr std::size_t kTexts = 40;

// One value for each token of texts of 1 to 40 words, padded to the longest one of their batch.
class TokenOutputs : public testing::Test {
 protected:
  TokenOutputs() {
    folder_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nword\n");
    std::string texts, line;
    for (std::size_t i = 0; i < kTexts; ++i) texts += (line += "word ") + "\n";
    folder_.write("texts.txt", texts);
  }
  DataText texts(const std::string& options = "") const {
    return {"text: {root: " + (folder_ / "texts.txt").string() +
            ", model_name_or_path: " + (folder_ / "vocab.txt").string() + options + "}"};
  }
  static Model value_per_token(const std::string& output) {
    const auto ids = parameter({-1, -1}, "input_ids", ov::element::i64);
    const auto values = std::make_shared<op::Convert>(ids, ov::element::f32);
    values->output(0).set_names({output});
    return as_model({values}, {ids});
  }
  TempFolder folder_;
};

TEST_F(TokenOutputs, HaveNoRowsIfTheirLengthsDiffer) {
  const Model model = value_per_token("start_logits");
  const SampleOutputs outputs = SampleRunner(model, {}).run(texts(), kTexts);
  EXPECT_FALSE(outputs.has_one_shape);
  EXPECT_FALSE(outputs.has_classes());
  EXPECT_TRUE(outputs.rows.empty());
  EXPECT_EQ(outputs.samples, kTexts);
  EXPECT_EQ(find_output_role(output_evidence(model), outputs).kind, OutputRoleKind::Classes) << "by its name";
  const OutputRole unnamed = find_output_role(output_evidence(value_per_token("y")), outputs);
  EXPECT_EQ(unnamed.kind, OutputRoleKind::Values);
  EXPECT_THAT(unnamed.evidence, testing::HasSubstr("its length is not the same for all samples"));
}

TEST_F(TokenOutputs, HaveRowsIfAllTextsArePaddedToOneLength) {
  const Model model = value_per_token("start_logits");
  const SampleOutputs outputs =
      SampleRunner(model, {}).run(texts(", max_seq_length: 50, dynamic_length: false"), kTexts);
  EXPECT_TRUE(outputs.has_classes());
  EXPECT_EQ(outputs.rows.size(), kTexts);
  EXPECT_EQ(outputs.classes(), 50u);
}

}  // namespace
}  // namespace lpot
