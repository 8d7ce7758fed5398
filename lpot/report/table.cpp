#include "lpot/report/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace lpot {
namespace {

// Letters rather than bytes, so that names in UTF-8 line up.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }));
}

std::string format_row(const Row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string padding(widths[i] - width(row[i]), ' ');
    line += i == 0 ? row[i] + padding : "  " + padding + row[i];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string format_table(const Row& header, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < header.size(); ++i) {
    widths.push_back(width(header[i]));
    for (const Row& row : rows) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string table = format_row(header, widths);
  Row line;
  for (const std::size_t column : widths) line.push_back(std::string(column, '-'));
  table += format_row(line, widths);
  for (const Row& row : rows) table += format_row(row, widths);
  return table;
}

std::string format_bytes(std::size_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value < 1e3) return fmt::format("{} B", bytes);
  if (value < 999.5e3) return fmt::format("{:.0f} kB", value / 1e3);
  if (value < 999.995e6) return fmt::format("{:.2f} MB", value / 1e6);
  return fmt::format("{:.2f} GB", value / 1e9);
}

std::string format_seconds(double seconds) {
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string format_percent(double share) { return fmt::format("{:.2f}%", share * 100); }

std::string format_ratio(double ratio, std::string_view above_one, std::string_view below_one) {
  const bool is_below = ratio > 0 && ratio < 1;
  return fmt::format("{:.2f} x {}", is_below ? 1 / ratio : ratio, is_below ? below_one : above_one);
}

}  // namespace lpot
