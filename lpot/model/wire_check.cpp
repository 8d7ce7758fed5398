#include "lpot/model/wire_check.h"

#include <span>

#include "lpot/core/error.h"
#include "lpot/core/mapped_file.h"
#include "lpot/proto/proto_reader.h"

namespace lpot {
namespace {

// The texts at this path of field numbers in the message. Reading stops at the damage of a message and continues with
// the message around it.
std::set<std::string> texts_at(ProtoReader message, std::span<const int> fields) {
  std::set<std::string> texts;
  try {
    while (message.next()) {
      if (message.field() != fields.front() || !message.is_block()) continue;
      if (fields.size() == 1) {
        texts.emplace(message.text());
      } else {
        texts.merge(texts_at(message.message(), fields.subspan(1)));
      }
    }
  } catch (const DataError&) {
    // The texts in front of the damage are returned.
  }
  return texts;
}

}  // namespace

std::optional<std::string> find_wire_damage(const std::filesystem::path& path) {
  const MappedFile file(path);
  return ProtoReader(file.bytes()).find_damage();
}

std::set<std::string> read_wire_texts(const std::filesystem::path& path, const std::vector<int>& fields) {
  const MappedFile file(path);
  return texts_at(ProtoReader(file.bytes()), fields);
}

}  // namespace lpot
