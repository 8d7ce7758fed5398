// A matrix product written as a 1x1 convolution: [B,S,K] -> Transpose{0,2,1} -> Convolution(N,K,1) -> Transpose{0,2,1}.
//
// On CPUs without VNNI the runtime's int8 matrix product (jit_gemm) is no faster than fp32, but its int8 1x1
// convolution is about twice as fast. With static shapes the transposes disappear: a convolution accepts channels-last
// input, which is the memory layout of the product's input. With dynamic shapes they stay, each with an additional
// reorder. So the transposes between two adjacent products are removed; the ops there (an activation function, a
// quantizer) are elementwise and do not depend on the layout.
//
// A product without a batch dimension, [R,K], is treated as [1,R,K], or as a batch of R one-pixel images
// (KernelVariant::Pixels). Pixels needs no transposes but has a slower kernel: 384 rows of BERT-large's 4096 x 1024
// product take 11.2 ms instead of 7.7 ms. If R depends on the data it is dynamic even for static input shapes, and
// Pixels is faster for many rows.
#pragma once
#include <memory>
#include <openvino/openvino.hpp>
#include <string>
#include <vector>

#include "lpot/core/scheme.h"

namespace lpot {

// Whether a product with an input of this rank has a convolution variant.
bool has_convolution_variant(const ov::Rank&);

struct ConvolutionVariant {
  ov::Output<ov::Node> input;
  ov::Output<ov::Node> weights;  // [N,K,1]
  std::vector<float> bias = {};  // one per output channel or empty
  std::string name;
  // KernelVariant::Pixels applies to inputs with two dimensions; others get KernelVariant::Convolution.
  KernelVariant variant = KernelVariant::Convolution;
};
ov::Output<ov::Node> write_convolution_variant(const ConvolutionVariant&);

// Removes the transposes between convolution variants that are connected only by elementwise ops. Returns the number of
// removed pairs.
std::size_t join_convolution_variants(ov::Model&);

}  // namespace lpot
