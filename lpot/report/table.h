// Text tables for terminals.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

using Row = std::vector<std::string>;

inline constexpr std::size_t kTerminalColumns = 80;

// Columns as wide as their widest cell, the first aligned left and the others right, two spaces between. Where a line
// would be longer than `width`, the widest cells are shortened in the middle: "/layer1/layer1.0/...v2/Conv".
std::string format_table(const Row& header, const std::vector<Row>& rows, std::size_t width = kTerminalColumns);

// "a, b, c, d, e and 43 more, see the report": the first five names of a list, and where all of them are.
std::string format_names(const std::vector<std::string>& names, std::string_view where_all_are);

std::string format_bytes(std::size_t);     // "1.05 MB"
std::string format_seconds(double);        // "0.4 s", "3 min 12 s"
std::string format_percent(double share);  // "91.73%"

// format_ratio(2.0, "faster", "slower") is "2.00 x faster", format_ratio(0.5, ...) is "2.00 x slower".
std::string format_ratio(double ratio, std::string_view above_one, std::string_view below_one);

// The interval in which a measured ratio lies; 0 and 0: unknown.
struct Spread {
  double low = 0, high = 0;
};

std::string format_speedup(double ratio, Spread);        // "1.42 x (1.38-1.47)", "1.42 x" if the spread is unknown
std::string format_faster_slower(double ratio, Spread);  // "1.42 x faster (1.38-1.47)", "2.00 x slower (1.90-2.10)"

}  // namespace lpot
