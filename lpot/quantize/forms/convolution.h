// A matrix product as a 1x1 convolution: [B,S,K] -> Transpose{0,2,1} -> Convolution(N,K,1) -> Transpose{0,2,1}.
//
// On CPUs without VNNI the runtime's int8 matrix product (jit_gemm) is no faster than fp32, its int8 1x1 convolution is
// about twice as fast. With static shapes the transposes vanish: a convolution takes its input with channels last,
// which is how the product's lies in memory. With dynamic shapes they stay, each with a reorder beside it, so those
// between two products are left out: what lies there (an activation function, a quantizer) works on each value by
// itself, in whatever order.
//
// A product of rows without a batch, [R,K], is one of [1,R,K]. As a batch of R pictures of one pixel it would need no
// transposes, but its kernel is slower: 384 rows of BERT-large's 4096 x 1024 take 11.2 ms instead of 7.7.
#pragma once
#include <memory>
#include <openvino/openvino.hpp>
#include <vector>

namespace lpot {

// Whether a product over an input of this rank has the form.
bool has_convolution_form(const ov::Rank&);

// `weights`: [N,K,1]; `bias`: one per output channel or empty.
ov::Output<ov::Node> convolution_form(const ov::Output<ov::Node>& input, const ov::Output<ov::Node>& weights,
                                      const std::vector<float>& bias, const std::string& name);

// Takes out the transposes between convolution forms that follow each other with nothing but element-wise ops between.
// Returns how many pairs that were.
std::size_t join_convolution_forms(ov::Model&);

}  // namespace lpot
