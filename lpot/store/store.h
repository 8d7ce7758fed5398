// Where studies are stored. What was written is read back the same, also after a crash.
//
//   auto store = open_sqlite_store("lpot_workspace/resnet-onnx/lpot.db");
//   StudyId study = store->create_study(identity);
//   store->append(study, trial);
//
// Values of a study are read and written through StudyRecord (store/study_record.h), which knows their keys.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/plan/study_outcome.h"
#include "lpot/plan/trial.h"

namespace lpot {

// What makes a study the same study.
struct StudyIdentity {
  std::string model_name;
  std::string model_fingerprint;
  std::string data;      // identity of calibration and evaluation data
  std::string settings;  // the part of the config that changes trials or verdicts, as JSON

  bool operator==(const StudyIdentity&) const = default;
};

struct StudyEntry {
  StudyId id = 0;
  StudyIdentity identity;
};

class Store {
 public:
  virtual ~Store() = default;

  virtual StudyId create_study(const StudyIdentity&) = 0;
  virtual std::vector<StudyEntry> studies() const = 0;  // oldest first

  // Throws StoreError when the study has a trial of that number already: another process writes to it.
  virtual void append(StudyId, const Trial&) = 0;
  virtual std::vector<Trial> trials(StudyId) const = 0;  // by number

  // Replaces the result of a trial whose evaluation ended early by its exact score. Throws StoreError when there is no
  // such trial.
  virtual void update_score(StudyId, std::size_t trial, const Measured&) = 0;

  // Values that are measured once and used by every trial: written before they are used. A key that was put before
  // keeps its value.
  virtual void put(StudyId, const std::string& key, std::string_view bytes) = 0;
  virtual std::optional<std::string> get(StudyId, const std::string& key) const = 0;
};

std::unique_ptr<Store> make_memory_store();

// Opens or makes the file. Throws StoreError: cannot be written, not a store, of a newer version, full disk.
std::unique_ptr<Store> open_sqlite_store(const std::filesystem::path&);

// Opens an existing store for reading only.
std::unique_ptr<Store> open_sqlite_store_read_only(const std::filesystem::path&);

}  // namespace lpot
