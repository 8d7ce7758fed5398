// What the processes of a run send each other about themselves at the start.
//
//   std::vector<int> threads = threads_per_peer({this_process(), peer_from_bytes(bytes)});
//
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

struct Peer {
  std::string version;
  std::string host;
  long process = 0;  // process id on the host
  std::string cpu_class;
  std::vector<int> cores;  // that the process may use

  std::string describe() const;  // "process 4711 on node7"
};

Peer this_process();
std::string to_bytes(const Peer&);
Peer peer_from_bytes(std::string_view);

// The number of threads of each peer. Peers that may use the same cores of one host share them equally.
std::vector<int> threads_per_peer(const std::vector<Peer>&);

}  // namespace lpot
