#include "lpot/distributed/peer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "lpot/core/affinity.h"
#include "lpot/core/cpu.h"
#include "lpot/core/version.h"
#include "lpot/distributed/messages.h"

namespace lpot {
namespace {

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace

std::string Peer::describe() const { return fmt::format("process {} on {}", process, host); }

Peer this_process() {
  return {std::string(kVersion), host_name(), ::getpid(), detect_cpu().cpu_class(), usable_cores()};
}

std::string to_bytes(const Peer& peer) {
  ByteWriter writer;
  writer.text(peer.version);
  writer.text(peer.host);
  writer.number<std::int64_t>(peer.process);
  writer.text(peer.cpu_class);
  writer.numbers(peer.cores);
  return writer.release();
}

Peer peer_from_bytes(std::string_view bytes) {
  ByteReader reader(bytes, kDamagedMessage);
  Peer peer;
  peer.version = reader.text();
  peer.host = reader.text();
  peer.process = static_cast<long>(reader.number<std::int64_t>());
  peer.cpu_class = reader.text();
  peer.cores = reader.numbers<int>();
  return peer;
}

std::vector<int> threads_per_peer(const std::vector<Peer>& peers) {
  std::vector<int> threads;
  for (const Peer& peer : peers) {
    const auto sharing = std::count_if(peers.begin(), peers.end(), [&](const Peer& other) {
      return other.host == peer.host && other.cores == peer.cores;
    });
    threads.push_back(std::max(1, static_cast<int>(static_cast<std::ptrdiff_t>(peer.cores.size()) / sharing)));
  }
  return threads;
}

}  // namespace lpot
