// Compares and looks up tensor names. TensorFlow calls the first output of a node x "x:0"; users may write "x".
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

std::string short_tensor_name(std::string_view);  // without ":0"

inline bool same_tensor(std::string_view a, std::string_view b) { return short_tensor_name(a) == short_tensor_name(b); }

// A suggestion to append to a message about an unknown tensor: " (did you mean 'net/Mfcc'?)", a list of names that
// contain the unknown name, or "".
std::string similar_tensors(std::string_view name, const std::vector<std::string>& known);

}  // namespace lpot
