// Text tables for terminals.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

using Row = std::vector<std::string>;

// Columns as wide as their widest cell, the first aligned left and the others right, two spaces between.
std::string format_table(const Row& header, const std::vector<Row>& rows);

std::string format_bytes(std::size_t);     // "1.05 MB"
std::string format_seconds(double);        // "0.4 s", "3 min 12 s"
std::string format_percent(double share);  // "91.73%"

// format_ratio(2.0, "faster", "slower") is "2.00 x faster", format_ratio(0.5, ...) is "2.00 x slower".
std::string format_ratio(double ratio, std::string_view above_one, std::string_view below_one);

}  // namespace lpot
