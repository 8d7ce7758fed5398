// Parses JSON and CBOR from untrusted files, and writes JSON. The JSON library copies, compares and prints values
// recursively, so deeply nested values are rejected.
//
//   const nlohmann::json json = parse_json(text);
//
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace lpot {

using Json = nlohmann::json;                 // keys in alphabetical order
using OrderedJson = nlohmann::ordered_json;  // keys in the order of insertion

inline constexpr std::size_t kMaxJsonDepth = 64;

// Throws nlohmann::json::exception for text that is nested deeper than kMaxJsonDepth.
void check_json_depth(std::string_view text);

// `Json` is nlohmann::json or ordered_json. Throws nlohmann::json::exception for invalid or too deeply nested JSON.
template <typename Json = nlohmann::json>
Json parse_json(std::string_view text) {
  check_json_depth(text);
  return Json::parse(text.begin(), text.end());
}

// Like parse_json, but returns a discarded value instead of throwing.
template <typename Json = nlohmann::json>
Json parse_json_or_discard(std::string_view text) {
  try {
    return parse_json<Json>(text);
  } catch (const nlohmann::json::exception&) {
    return Json(Json::value_t::discarded);
  }
}

// Writes JSON. Bytes that are not UTF-8, which paths may have, become U+FFFD; Json::dump() would throw for them.
template <typename Json>
std::string dump_json(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Reads an integer. get<std::size_t>() would also accept 1e37 and return an undefined value. Throws
// nlohmann::json::exception.
std::int64_t json_integer(const nlohmann::json&);
std::int64_t json_integer(const nlohmann::json& object, const char* key, std::int64_t otherwise);

// Throws nlohmann::json::exception for invalid or too deeply nested CBOR.
nlohmann::json parse_cbor(std::string_view bytes);

}  // namespace lpot
