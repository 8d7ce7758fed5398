#include "lpot/core/lazy.h"

#include <gtest/gtest.h>

#include <string>

namespace lpot {
namespace {

TEST(Lazy, ComputesOnceForAllCopies) {
  int computed = 0;
  const Lazy<std::string> value([&] {
    ++computed;
    return std::string("known");
  });
  const Lazy<std::string> copy = value;
  EXPECT_EQ(computed, 0);
  EXPECT_EQ(value.get(), "known");
  EXPECT_EQ(copy.get(), "known");
  EXPECT_EQ(computed, 1);
}

TEST(Lazy, MayBeKnownFromTheStart) {
  EXPECT_EQ(Lazy<int>().get(), 0);
  EXPECT_EQ(Lazy<int>(7).get(), 7);
}

}  // namespace
}  // namespace lpot
