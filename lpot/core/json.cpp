#include "lpot/core/json.h"

#include <string>

namespace lpot {
namespace {

// Visits a document without storing it, and stops if it is nested too deeply.
class DepthCheck : public nlohmann::json_sax<Json> {
 public:
  bool is_too_deep() const { return depth_ > kMaxJsonDepth; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ <= kMaxJsonDepth; }
  bool start_array(std::size_t) override { return ++depth_ <= kMaxJsonDepth; }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  // The parser that runs afterwards reports the error.
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool leave() {
    --depth_;
    return true;
  }
  std::size_t depth_ = 0;
};

void check_depth(std::string_view bytes, Json::input_format_t format) {
  DepthCheck check;
  Json::sax_parse(bytes.begin(), bytes.end(), &check, format);
  if (check.is_too_deep())
    throw Json::other_error::create(501, "values are nested deeper than " + std::to_string(kMaxJsonDepth) + " levels",
                                    nullptr);
}

}  // namespace

void check_json_depth(std::string_view text) { check_depth(text, Json::input_format_t::json); }

nlohmann::json parse_cbor(std::string_view bytes) {
  check_depth(bytes, Json::input_format_t::cbor);
  return Json::from_cbor(bytes.begin(), bytes.end());
}

std::int64_t json_integer(const nlohmann::json& json) {
  if (!json.is_number_integer())
    throw nlohmann::json::other_error::create(501, "expected an integer, got " + std::string(json.type_name()),
                                              nullptr);
  return json.get<std::int64_t>();
}

std::int64_t json_integer(const nlohmann::json& object, const char* key, std::int64_t otherwise) {
  return object.contains(key) ? json_integer(object.at(key)) : otherwise;
}

}  // namespace lpot
