#include "lpot/quantize/forms/choice.h"

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/core/json.h"

namespace lpot {

using Json = nlohmann::json;

void use_forms(SearchSpace& space, const FormChoice& choice, bool drop_slower) {
  for (const auto& [name, times] : choice.times)
    space.saved_ms[name] = times.fp32_ms - (choice.forms.contains(name) ? times.convolution_ms : times.plain_ms);
  for (OpSpace& op : space.ops) {
    const auto form = choice.forms.find(op.name);
    for (OpPlan& of_op : op.choices)
      if (of_op.precision == Precision::Int8) of_op.form = form == choice.forms.end() ? Form::Plain : form->second;
    const auto& slower = choice.slower_in_int8;
    if (drop_slower && op.can_fall_back() && std::find(slower.begin(), slower.end(), op.name) != slower.end())
      op.choices = {OpPlan{}};
  }
}

std::string to_json(const FormChoice& choice) {
  Json json = Json::object();
  for (const auto& [name, times] : choice.times) {
    Json& op = json[name];
    op = {{"fp32_ms", times.fp32_ms}, {"plain_ms", times.plain_ms}};
    if (times.convolution_ms > 0) op["convolution_ms"] = times.convolution_ms;
    if (const auto form = choice.forms.find(name); form != choice.forms.end()) op["form"] = to_string(form->second);
    const auto& slower = choice.slower_in_int8;
    if (std::find(slower.begin(), slower.end(), name) != slower.end()) op["slower_in_int8"] = true;
  }
  return json.dump();
}

FormChoice forms_from_json(const std::string& text) {
  FormChoice choice;
  try {
    const Json json = parse_json(text);
    for (const auto& [name, op] : json.items()) {
      choice.times[name] = {op.at("fp32_ms"), op.at("plain_ms"), op.value("convolution_ms", 0.0)};
      if (op.contains("form")) {
        const auto form = parse<Form>(op.at("form").get<std::string>());
        if (!form) throw StoreError("forms", "the kept forms are damaged; tune without --resume to measure again");
        choice.forms[name] = *form;
      }
      if (op.value("slower_in_int8", false)) choice.slower_in_int8.push_back(name);
    }
  } catch (const Json::exception&) {
    throw StoreError("forms", "the kept forms are damaged; tune without --resume to measure again");
  }
  return choice;
}

}  // namespace lpot
