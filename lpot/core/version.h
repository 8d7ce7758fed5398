// The version of this library.
//
//   std::cout << kVersion << "\n";  // 0.1.0
//
#pragma once
#include <string_view>

namespace lpot {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace lpot
