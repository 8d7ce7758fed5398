// Tensors by name: TensorFlow's first output of a node x is called x:0; people write x.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

std::string short_tensor_name(std::string_view);  // without ":0"

inline bool same_tensor(std::string_view a, std::string_view b) { return short_tensor_name(a) == short_tensor_name(b); }

// " (did you mean 'net/Mfcc'?)", the names that end in it, or "", to append to a message about an unknown tensor.
std::string near_tensors(std::string_view name, const std::vector<std::string>& known);

}  // namespace lpot
