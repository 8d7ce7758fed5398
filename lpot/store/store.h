// Stores studies and their trials. Values are read back exactly as they were written, also after a crash.
//
//   auto store = open_sqlite_store("lpot_workspace/resnet-onnx/lpot.db");
//   StudyId study = store->create_study(identity);
//   store->append(study, trial);
//
// Use StudyRecord (store/study_record.h) to read and write values of a study; it knows their keys.
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

// Identifies a study: a run with an equal identity can resume it.
struct StudyIdentity {
  std::string model_name;
  std::string model_fingerprint;
  std::string data;      // identity of the calibration and evaluation data
  std::string settings;  // the part of the configuration that affects trials or their evaluation, as JSON

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

  // Throws StoreError if the study already has a trial of that number, because another process writes to it.
  virtual void append(StudyId, const Trial&) = 0;
  virtual std::vector<Trial> trials(StudyId) const = 0;  // sorted by number

  // Replaces the estimated result of a trial by its exact result. Throws StoreError if there is no such trial.
  virtual void update_score(StudyId, std::size_t trial, const Measurement&) = 0;

  // Values that are measured once and used by every trial. They are stored before they are used. put() does not change
  // the value of an existing key.
  virtual void put(StudyId, const std::string& key, std::string_view bytes) = 0;
  virtual std::optional<std::string> get(StudyId, const std::string& key) const = 0;
};

std::unique_ptr<Store> create_memory_store();

// Opens or creates the file. Throws StoreError if the file is not a store, was written by a newer version or cannot be
// written.
std::unique_ptr<Store> open_sqlite_store(const std::filesystem::path&);

// Opens an existing store for reading. Throws StoreError if the file does not exist.
std::unique_ptr<Store> open_sqlite_store_read_only(const std::filesystem::path&);

}  // namespace lpot
