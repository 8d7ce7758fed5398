// The version of this library. CMake, the Python package and the release read it from here.
//
//   std::cout << kVersion << "\n";
//
#pragma once
#include <string_view>

namespace lpot {

inline constexpr std::string_view kVersion = "0.2.0";

}  // namespace lpot
