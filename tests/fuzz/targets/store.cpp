#include "lpot/store/store.h"

#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

// Opened for reading like the report does, then for writing like a resumed study does.
void store(Bytes bytes) {
  for (const char* name : {"lpot.db", "lpot.db-wal", "lpot.db-shm", "lpot.db-journal"})
    std::filesystem::remove(folder() / name);
  const auto path = write("lpot.db", bytes);
  const auto read = [](const Store& store) {
    for (const StudyEntry& study : store.studies()) {
      expect_errors([&] { store.trials(study.id); });
      for (const char* key : {"baseline", "statistics", "about"}) expect_errors([&] { store.get(study.id, key); });
    }
  };
  expect_errors([&] { read(*open_sqlite_store_read_only(path)); });
  expect_errors([&] {
    const auto store = open_sqlite_store(path);
    read(*store);
    store->put(1, "baseline", "{}");
    Trial trial;
    trial.number = 1;
    store->append(store->create_study({"net", "0", "data", "{}"}), trial);
    read(*store);
  });
}

}  // namespace lpot::fuzz
