// A matrix product as a 1x1 convolution: [B,S,K] -> Transpose{0,2,1} -> Convolution(N,K,1) -> Transpose{0,2,1}.
//
// On CPUs without VNNI the runtime's int8 matrix product (jit_gemm) is no faster than fp32, its int8 1x1 convolution is
// about twice as fast. With static shapes the transposes vanish: a convolution takes its input with channels last,
// which is how the product's lies in memory. With dynamic shapes they stay, each with a reorder beside it, so those
// between two products are left out: what lies there (an activation function, a quantizer) works on each value by
// itself, in whatever order.
//
// A product of rows without a batch, [R,K], is one of [1,R,K]; or a batch of R pictures of one pixel (Form::Pixels),
// which needs no transposes but has a slower kernel: 384 rows of BERT-large's 4096 x 1024 take 11.2 ms instead of 7.7.
// Where R depends on the data it is open whatever the inputs' shapes, and pixels are faster for many rows.
#pragma once
#include <memory>
#include <openvino/openvino.hpp>
#include <string>
#include <vector>

#include "lpot/core/scheme.h"

namespace lpot {

// Whether a product over an input of this rank has the form.
bool has_convolution_variant(const ov::Rank&);

struct ConvolutionVariant {
  ov::Output<ov::Node> input;
  ov::Output<ov::Node> weights;  // [N,K,1]
  std::vector<float> bias = {};  // one per output channel or empty
  std::string name;
  KernelVariant variant =
      KernelVariant::Convolution;  // Form::Pixels is for inputs of two dimensions; others have the usual form
};
ov::Output<ov::Node> write_convolution_variant(const ConvolutionVariant&);

// Takes out the transposes between convolution forms that follow each other with nothing but element-wise ops between.
// Returns how many pairs that were.
std::size_t join_convolution_variants(ov::Model&);

}  // namespace lpot
