// A study as Markdown, for pull requests and wikis. study_view.h describes how to add a line.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lpot {

std::string report_markdown(const nlohmann::ordered_json& view);  // `view`: see study_view.h

}  // namespace lpot
