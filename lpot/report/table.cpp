#include "lpot/report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace lpot {
namespace {

// Letters rather than bytes, so that names in UTF-8 line up.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }));
}

constexpr std::size_t kShortestCell = 12;  // columns below that are not shortened
constexpr std::size_t kShownNames = 5;

// The first byte of the letter at `position`.
std::size_t offset_of_letter(const std::string& text, std::size_t position) {
  std::size_t offset = 0;
  for (; offset < text.size(); ++offset) {
    const bool begins_letter = (static_cast<unsigned char>(text[offset]) & 0xc0) != 0x80;
    if (begins_letter && position-- == 0) break;
  }
  return offset;
}

std::string shortened(const std::string& text, std::size_t letters) {
  const std::size_t length = width(text);
  if (length <= letters) return text;
  const std::size_t end = (letters - 3) / 2, begin = letters - 3 - end;
  return text.substr(0, offset_of_letter(text, begin)) + "..." + text.substr(offset_of_letter(text, length - end));
}

std::vector<std::size_t> widest_cells(const Row& header, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < header.size(); ++i) {
    widths.push_back(width(header[i]));
    for (const Row& row : rows) widths[i] = std::max(widths[i], width(row[i]));
  }
  return widths;
}

// Narrows the widest columns until a line fits.
std::vector<std::size_t> narrowed(std::vector<std::size_t> widths, std::size_t line) {
  const auto total = [&] { return std::accumulate(widths.begin(), widths.end(), 2 * widths.size() - 2); };
  while (!widths.empty() && total() > line) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kShortestCell) break;
    --*widest;
  }
  return widths;
}

std::string format_row(const Row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string cell = shortened(row[i], widths[i]);
    const std::string padding(widths[i] - width(cell), ' ');
    line += i == 0 ? cell + padding : "  " + padding + cell;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string format_table(const Row& header, const std::vector<Row>& rows, std::size_t line_width) {
  const std::vector<std::size_t> widths = narrowed(widest_cells(header, rows), line_width);
  std::string table = format_row(header, widths);
  Row line;
  for (const std::size_t column : widths) line.push_back(std::string(column, '-'));
  table += format_row(line, widths);
  for (const Row& row : rows) table += format_row(row, widths);
  return table;
}

std::string format_names(const std::vector<std::string>& names, std::string_view where_all_are) {
  if (names.size() <= kShownNames) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more, see {}", fmt::join(names.begin(), names.begin() + kShownNames, ", "),
                     names.size() - kShownNames, where_all_are);
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

std::string format_speedup(double ratio, Spread spread) {
  if (spread.high <= 0) return fmt::format("{:.2f} x", ratio);
  return fmt::format("{:.2f} x ({:.2f}-{:.2f})", ratio, spread.low, spread.high);
}

std::string format_faster_slower(double ratio, Spread spread) {
  const std::string text = format_ratio(ratio, "faster", "slower");
  if (spread.low <= 0 || spread.high <= 0) return text;
  const bool is_slower = ratio < 1;
  return fmt::format("{} ({:.2f}-{:.2f})", text, is_slower ? 1 / spread.high : spread.low,
                     is_slower ? 1 / spread.low : spread.high);
}

}  // namespace lpot
