// What makes a study the same study, and what an earlier one knows that holds for it too.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lpot/config/config.h"
#include "lpot/evaluate/evaluator.h"
#include "lpot/store/store.h"
#include "lpot/tune/bench.h"
#include "lpot/tune/own.h"

namespace lpot {

// The budget is not part of it: a study may be resumed with a larger one.
StudyIdentity identity_of(const Bench&, const Config&, const OwnParts&, const Evaluator&);

// The study's own store, and what other studies of the same model measured under the same conditions: a study with
// another goal does not calibrate or evaluate again.
class Kept {
 public:
  // What something depends on, besides the model.
  enum class Matters { Calibration, Evaluation, Forms, AllButTuning };

  Kept(Store&, StudyId, const StudyIdentity&, bool may_share);

  std::optional<std::string> get(const std::string& key, Matters) const;
  void put(const std::string& key, const std::string& bytes) { store_.put(id_, key, bytes); }
  // The complete result of that plan in another study.
  std::optional<Measured> score(const Plan&) const;

  // Reads `key`, or makes and stores it: what is measured is stored before it is used.
  template <typename Make>
  std::string get_or(const std::string& key, Matters matters, Make&& make) {
    auto kept = get(key, matters);
    if (!kept) kept = make();
    put(key, *kept);
    return *store_.get(id_, key);
  }

 private:
  std::vector<StudyRecord> like_this(Matters) const;  // other studies of the model

  Store& store_;
  StudyId id_;
  StudyIdentity identity_;
  bool may_share_;
  // Of other studies, read once: they do not change while the workspace is locked.
  mutable std::optional<std::unordered_map<std::uint64_t, Measured>> scores_;
};

}  // namespace lpot
