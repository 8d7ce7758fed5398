#include "lpot/report/html.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lpot {

extern const std::string_view kPageHtml;

namespace {

std::string page(const std::string& head, const std::string& tail) {
  std::string text(kPageHtml);
  // The tail first, so that marks inside the data are not replaced.
  for (const auto& [mark, part] : {std::pair{std::string("@TAIL@"), &tail}, {std::string("@HEAD@"), &head}})
    text.replace(text.find(mark), mark.size(), *part);
  return text;
}

}  // namespace

std::string embedded_json(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char letter : text) letter == '<' ? safe += "\\u003c" : safe += letter;
  return safe;
}

std::string report_html(const nlohmann::ordered_json& view) {
  // Even if a name were interpreted as markup, nothing would be loaded or sent.
  return page(
      fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
                  "'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
                  "<style>\n{}</style>",
                  kPageCss),
      fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{}</script>",
                  embedded_json(view), kPageJs));
}

std::string dashboard_html() {
  return page("<link rel=\"stylesheet\" href=\"/page.css\">", "<script src=\"/page.js\"></script>");
}

}  // namespace lpot
