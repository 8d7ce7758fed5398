// The page that shows a study: one file with its data, or separate parts for a server. page/ has its sources;
// study_view.h describes how to add a line.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace lpot {

// One file without external resources. `view`: see study_view.h.
std::string report_html(const nlohmann::ordered_json& view);

// The same page for a server, which serves the other two at /page.css and /page.js.
std::string dashboard_html();
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;

// JSON that is safe inside a <script> element: ASCII, without "<".
std::string embedded_json(const nlohmann::ordered_json&);

}  // namespace lpot
