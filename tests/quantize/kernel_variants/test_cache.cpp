#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/quantize/kernel_variants/cache.h"
#include "tests/support/files.h"
#include "tests/support/graphs.h"

namespace lpot {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

const Cpu kCpu{.name = "one", .avx2 = true, .cores = 2};

KernelVariantChoice choice(double fp32_ms) {
  KernelVariantChoice made;
  made.times = {{"first", {fp32_ms, 2, 0.5}}, {"second", {1, 2, 0}}};
  made.variants = {{"first", KernelVariant::Convolution}};
  made.slower_in_int8 = {"second"};
  return made;
}

using Signatures = std::map<std::string, std::string>;
const Signatures kSignatures{{"first", "MatMul 8"}, {"second", "MatMul 16"}};

class KernelVariantCacheTest : public testing::Test {
 protected:
  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "cache/forms.json";
  KernelVariantCache cache_{file_, kCpu};
};

TEST_F(KernelVariantCacheTest, FindsOpsOfAnotherModelBySignature) {
  EXPECT_FALSE(cache_.find(kSignatures));
  cache_.store(kSignatures, choice(4));
  EXPECT_THAT(cache_.find(kSignatures), Optional(choice(4)));
  const auto other = KernelVariantCache(file_, kCpu).find({{"a", "MatMul 8"}, {"b", "MatMul 8"}});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->variants, (std::map<std::string, KernelVariant>{{"a", KernelVariant::Convolution},
                                                                   {"b", KernelVariant::Convolution}}));
  EXPECT_THAT(other->slower_in_int8, IsEmpty());
  EXPECT_FALSE(cache_.find({{"a", "MatMul 8"}, {"b", "MatMul 9"}})) << "one signature is not stored";
}

TEST_F(KernelVariantCacheTest, SeparatesCpuClasses) {
  cache_.store(kSignatures, choice(4));
  Cpu other = kCpu;
  other.cores = 4;
  EXPECT_FALSE(KernelVariantCache(file_, other).find(kSignatures));
  other = kCpu;
  other.vnni = true;
  EXPECT_FALSE(KernelVariantCache(file_, other).find(kSignatures));
  KernelVariantCache(file_, other).store(kSignatures, choice(5));
  EXPECT_THAT(cache_.find(kSignatures), Optional(choice(4)));
}

TEST_F(KernelVariantCacheTest, IgnoresADamagedFile) {
  for (const char* text : {"", "{\"avx2", "[1]", "{\"avx2, 2 cores\": 7}"}) {
    std::filesystem::create_directories(file_.parent_path());
    std::ofstream(file_) << text;
    EXPECT_FALSE(cache_.find(kSignatures)) << text;
    cache_.store(kSignatures, choice(4));
    EXPECT_TRUE(cache_.find(kSignatures)) << text;
  }
}

TEST_F(KernelVariantCacheTest, IgnoresADamagedEntry) {
  cache_.store(kSignatures, choice(4));
  const auto bytes = read_file(file_);
  std::string text(bytes.begin(), bytes.end());
  text.replace(text.find("convolution\""), 11, "contortion1");
  std::ofstream(file_) << text;
  EXPECT_FALSE(cache_.find(kSignatures));
}

TEST_F(KernelVariantCacheTest, KeepsAllEntriesOfConcurrentWriters) {
  std::vector<std::jthread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&, i] {
      KernelVariantCache(file_, kCpu).store({{"first", fmt::format("op {}", i)}}, choice(i + 1));
    });
  writers.clear();
  for (int i = 0; i < 8; ++i) {
    const auto found = cache_.find({{"first", fmt::format("op {}", i)}});
    ASSERT_TRUE(found) << i;
    EXPECT_EQ(found->times.at("first").fp32_ms, i + 1);
  }
}

TEST_F(KernelVariantCacheTest, MayBeDisabledOrUnwritable) {
  const KernelVariantCache none("", kCpu);
  none.store(kSignatures, choice(4));
  EXPECT_FALSE(none.find(kSignatures));
  const KernelVariantCache nowhere("/proc/none/forms.json", kCpu);
  nowhere.store(kSignatures, choice(4));
  EXPECT_FALSE(nowhere.find(kSignatures));
}

TEST(DefaultKernelVariantCache, FollowsTheEnvironment) {
  EXPECT_EQ(default_kernel_variant_cache(), "") << "tests must not change the user's cache";
  ::setenv("LPOT_FORM_MEMORY", "/mine.json", 1);
  EXPECT_EQ(default_kernel_variant_cache(), "/mine.json");
  ::unsetenv("LPOT_FORM_MEMORY");
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(default_kernel_variant_cache(), "/cache/lpot/forms.json");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_THAT(default_kernel_variant_cache().string(),
              ::testing::AnyOf("", ::testing::EndsWith("/.cache/lpot/forms.json")));
  ::setenv("LPOT_FORM_MEMORY", "off", 1);
}

TEST(OpSignatures, DependOnTheInputShapesNotOnTheModelShapes) {
  const auto x = parameter({-1, -1, 8}, "x");
  const Model model = as_model({product(std::make_shared<op::Relu>(x), 8, 16, "first")}, {x});
  Plan plan;
  plan.ops["first"].precision = Precision::Int8;
  const auto of = [&](const Shape& shape) { return op_signatures(model, plan, {random_tensor(shape, 1)}).at("first"); };
  EXPECT_EQ(of({1, 5, 8}), of({1, 5, 8}));
  EXPECT_NE(of({1, 5, 8}), of({2, 5, 8}));
  EXPECT_THAT(of({1, 5, 8}), HasSubstr("MatMul [1,5,8] x [8,16] -> [1,5,16]"));
  EXPECT_THAT(of({1, 5, 8}), ::testing::Not(HasSubstr("input 0")));
  plan.ops["first"].precision = Precision::Fp32;
  EXPECT_THAT(op_signatures(model, plan, {random_tensor({1, 5, 8}, 1)}), IsEmpty());
  EXPECT_THROW(op_signatures(model, plan, {random_tensor({1, 5, 9}, 1)}), ModelError);
}

TEST(OpSignatures, ContainTheInputShapesIfShapesDependOnData) {
  const auto x = parameter({-1, 8}, "x");
  const auto found = std::make_shared<op::NonZero>(x, ov::element::i64);  // [2, ?]
  const auto rows = std::make_shared<op::Transpose>(std::make_shared<op::Convert>(found, ov::element::f32),
                                                    op::Constant::create(ov::element::i64, {2}, {1, 0}));
  const Model model = as_model({product(rows, 2, 16, "first")}, {x});
  Plan plan;
  plan.ops["first"].precision = Precision::Int8;
  const auto of = [&](const Shape& shape) { return op_signatures(model, plan, {random_tensor(shape, 1)}).at("first"); };
  EXPECT_THAT(of({5, 8}), HasSubstr("input 0 [5,8]"));
  EXPECT_NE(of({5, 8}), of({6, 8}));
}

}  // namespace
}  // namespace lpot
