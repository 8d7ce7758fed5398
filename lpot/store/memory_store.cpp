#include <fmt/format.h>

#include <map>

#include "lpot/core/error.h"
#include "lpot/store/store.h"

namespace lpot {
namespace {

class MemoryStore : public Store {
 public:
  StudyId create_study(const StudyIdentity& identity) override {
    const auto id = static_cast<StudyId>(studies_.size() + 1);
    studies_.push_back({id, identity});
    return id;
  }

  std::vector<StudyEntry> studies() const override { return studies_; }

  void append(StudyId study, const Trial& trial) override {
    if (!trials_[study].emplace(trial.number, trial).second)
      throw StoreError("store", fmt::format("trial {} of study {} already exists", trial.number, study));
  }

  std::vector<Trial> trials(StudyId study) const override {
    std::vector<Trial> result;
    if (const auto found = trials_.find(study); found != trials_.end())
      for (const auto& [number, trial] : found->second) result.push_back(trial);
    return result;
  }

  void update_score(StudyId study, std::size_t number, const Measurement& score) override {
    const auto trials = trials_.find(study);
    const auto found = trials == trials_.end() ? std::map<std::size_t, Trial>::iterator() : trials->second.find(number);
    if (trials == trials_.end() || found == trials->second.end())
      throw StoreError("store", fmt::format("study {} has no trial {}", study, number));
    found->second.result = score;
  }

  void put(StudyId study, const std::string& key, std::string_view bytes) override {
    values_.try_emplace({study, key}, bytes);
  }

  std::optional<std::string> get(StudyId study, const std::string& key) const override {
    const auto found = values_.find({study, key});
    if (found == values_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::vector<StudyEntry> studies_;
  std::map<StudyId, std::map<std::size_t, Trial>> trials_;
  std::map<std::pair<StudyId, std::string>, std::string> values_;
};

}  // namespace

std::unique_ptr<Store> create_memory_store() { return std::make_unique<MemoryStore>(); }

}  // namespace lpot
