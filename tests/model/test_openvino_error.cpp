#include "lpot/model/openvino_error.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <system_error>

namespace lpot {
namespace {

TEST(OutOfMemory, IsRecognizedInTheMessagesOfAllLibraries) {
  for (const char* words : {"[CPU] FullyConnected node with name 'MatMul2' std::bad_alloc",
                            "[CPU] FullyConnected node with name 'MatMul1' can't alloc", "Cannot allocate memory",
                            "Cannot load library \"plugin.so\": plugin.so: failed to map segment from shared object"}) {
    EXPECT_TRUE(is_out_of_memory(std::runtime_error(words))) << words;
    EXPECT_THROW(rethrow_out_of_memory(std::runtime_error(words)), std::bad_alloc) << words;
  }
  EXPECT_TRUE(is_out_of_memory(std::bad_alloc()));
  EXPECT_TRUE(is_out_of_memory(std::system_error(EAGAIN, std::generic_category())));
  EXPECT_FALSE(is_out_of_memory(std::system_error(ENOENT, std::generic_category())));
  EXPECT_FALSE(is_out_of_memory(std::runtime_error("MatMul: shapes do not fit")));
  EXPECT_NO_THROW(rethrow_out_of_memory(std::runtime_error("MatMul: shapes do not fit")));
}

TEST(ShortenedMessage, KeepsTheLastLineIfItHasNoOtherText) {
  EXPECT_EQ(shorten_openvino_message("Exception from src/inference/src/cpp/core.cpp:117:\n"
                                     "Check 'shape.rank() > 1' failed at src/plugins/node.cpp:95:\n\n"),
            "Check 'shape.rank() > 1' failed at src/plugins/node.cpp:95:");
  EXPECT_EQ(shorten_openvino_message("Check 'x' failed at src/core/a.cpp:95:\nthe rank is 1\n"), "the rank is 1");
}

}  // namespace
}  // namespace lpot
