// JSON and CBOR from files that others may have written. What the library builds from them is copied, compared and
// printed by recursion, so values that are nested without end are refused.
//
//   const nlohmann::json json = parse_json(text);
//
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

namespace lpot {

using Json = nlohmann::json;                 // keys in alphabetical order
using OrderedJson = nlohmann::ordered_json;  // keys in the order of insertion

inline constexpr std::size_t kMaxJsonDepth = 64;

// Throws nlohmann::json::exception for text that is nested deeper than that.
void check_json_depth(std::string_view text);

// `Json` is nlohmann::json or ordered_json. Throws nlohmann::json::exception: not JSON, or too deep.
template <typename Json = nlohmann::json>
Json parse_json(std::string_view text) {
  check_json_depth(text);
  return Json::parse(text.begin(), text.end());
}

// The same, a discarded value where that throws.
template <typename Json = nlohmann::json>
Json parse_json_or_discard(std::string_view text) {
  try {
    return parse_json<Json>(text);
  } catch (const nlohmann::json::exception&) {
    return Json(Json::value_t::discarded);
  }
}

// A number that has no fraction; get<std::size_t>() would take 1e37 too, and give anything. Throws
// nlohmann::json::exception.
std::int64_t whole_number(const nlohmann::json&);
std::int64_t whole_number(const nlohmann::json& object, const char* key, std::int64_t otherwise);

// Throws nlohmann::json::exception: not CBOR, or too deep.
nlohmann::json parse_cbor(std::string_view bytes);

}  // namespace lpot
