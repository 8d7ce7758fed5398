#include "lpot/quantize/executed_precision.h"

#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Two convolutions of which the plan quantizes both.
struct TwoConvolutions {
  Model model;
  Edits edits;

  TwoConvolutions() {
    const auto x = parameter({1, 4, 8, 8}, "x");
    model = as_model({conv3x3(conv3x3(x, 4, 16, "a"), 16, 4, "b", 2)}, {x});
    for (const std::string name : {"a", "b"}) {
      OpEdit edit;
      edit.op = name;
      edit.type = "Convolution";
      edit.activation = "tensor before " + name;
      edits.ops.push_back(edit);
    }
  }

  std::vector<UnusedInt8> unused(const std::string& kernel_of_b) const {
    ExecutedOp a, b, reorder;
    a.name = "a";
    a.type = b.type = "Convolution";
    a.kernel = "brgconv_avx512_I8";
    b.name = "fused";
    b.source_names = {"b", "bias"};
    b.kernel = kernel_of_b;
    reorder.name = "a";
    reorder.type = "Reorder";
    reorder.kernel = "reorder_f32";
    return unused_int8(model, edits, {reorder, a, b});
  }
};

TEST(UnusedInt8, NamesOpsThatRunInFloat) {
  for (const std::string kernel : {"brgconv_avx512_f32", "jit_avx512_FP32", "brgconv_avx512_bf16"}) {
    const auto found = TwoConvolutions().unused(kernel);
    ASSERT_THAT(found, SizeIs(1)) << kernel;
    EXPECT_EQ(found[0].op, "b");
    EXPECT_THAT(found[0].reason, HasSubstr("weights [4,16,3,3]"));
    EXPECT_THAT(found[0].reason, HasSubstr(kernel));
  }
}

TEST(UnusedInt8, IgnoresInt8KernelsAndUnknownNames) {
  for (const std::string kernel : {"jit_avx2_I8", "ref_any_i8", "", "unknown"})
    EXPECT_THAT(TwoConvolutions().unused(kernel), SizeIs(0)) << kernel;
}

TEST(UnusedInt8, IgnoresOpsThatAreNotFound) {
  const TwoConvolutions net;
  EXPECT_THAT(unused_int8(net.model, net.edits, {}), SizeIs(0));
}

TEST(UnusedInt8, IgnoresQuantizedWeightsOnly) {
  TwoConvolutions net;
  net.edits.ops[1].activation.clear();
  EXPECT_THAT(net.unused("brgconv_avx512_f32"), SizeIs(0));
}

}  // namespace
}  // namespace lpot
