// The page that shows a study: as one file with its data inside, or in parts for a server.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace lpot {

// One file without outside resources. `view`: see study_view.h.
std::string report_html(const nlohmann::ordered_json& view);

// The same page for a server, which has the other two at /page.css and /page.js.
std::string dashboard_html();
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;

// Text that is JavaScript and JSON at once and can stand inside a <script> element: ASCII, without "<".
std::string embedded_json(const nlohmann::ordered_json&);

}  // namespace lpot
