// The forms that were chosen for the ops of a model, and what they were chosen by.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lpot/quantize/plan.h"
#include "lpot/quantize/space.h"

namespace lpot {

// Times of one inference: lower quartiles (p25) of the runs. Ops that do the same work share the median of theirs.
struct OpTimes {
  double fp32_ms = 0;
  double plain_ms = 0;
  double convolution_ms = 0;  // 0: the op has no such form

  bool operator==(const OpTimes&) const = default;
};

struct FormChoice {
  std::map<std::string, OpTimes> times;     // of every op in int8
  std::map<std::string, Form> forms;        // of ops whose form is not plain
  std::vector<std::string> slower_in_int8;  // ops whose int8 kernel, with its conversions, loses to fp32

  bool operator==(const FormChoice&) const = default;
};

// Gives every op its form; with `drop_slower`, ops that are slower in int8 keep only fp32 where they may have it.
void use_forms(SearchSpace&, const FormChoice&, bool drop_slower);

std::string to_json(const FormChoice&);
FormChoice forms_from_json(const std::string&);  // throws StoreError

}  // namespace lpot
