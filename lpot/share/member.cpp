#include "lpot/share/member.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "lpot/core/affinity.h"
#include "lpot/core/cpu.h"
#include "lpot/core/version.h"
#include "lpot/share/messages.h"

namespace lpot {
namespace {

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

std::string Member::describe() const { return fmt::format("process {} on {}", process, host); }

Member this_process() {
  return {std::string(kVersion), host_name(), ::getpid(), detect_cpu().cpu_class(), usable_cores()};
}

std::string to_bytes(const Member& member) {
  ByteWriter writer;
  writer.text(member.version);
  writer.text(member.host);
  writer.number<std::int64_t>(member.process);
  writer.text(member.cpu_class);
  writer.numbers(member.cores);
  return writer.take();
}

Member member_from_bytes(std::string_view bytes) {
  ByteReader reader(bytes, kGarbled);
  Member member;
  member.version = reader.text();
  member.host = reader.text();
  member.process = static_cast<long>(reader.number<std::int64_t>());
  member.cpu_class = reader.text();
  member.cores = reader.numbers<int>();
  return member;
}

std::vector<int> threads_of_each(const std::vector<Member>& members) {
  std::vector<int> threads;
  for (const Member& member : members) {
    const auto sharing = std::count_if(members.begin(), members.end(), [&](const Member& other) {
      return other.host == member.host && other.cores == member.cores;
    });
    threads.push_back(std::max(1, static_cast<int>(static_cast<std::ptrdiff_t>(member.cores.size()) / sharing)));
  }
  return threads;
}

}  // namespace lpot
