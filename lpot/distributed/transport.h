// Sends bytes between the processes of one run (mpirun -n 4 lpot tune ...), which are numbered by rank.
//
//   transport.send(1, "bytes");
//   if (const std::optional<Transport::Message> message = transport.receive()) use(message->from, message->bytes);
//
// Rank 0 runs the program and writes all output (distributed/coordinator.h). The other ranks are its workers
// (distributed/worker.h). cli/mpi_transport.cpp implements this interface with MPI; the tests implement it with
// threads.
#pragma once
#include <optional>
#include <string>

namespace lpot {

class Transport {
 public:
  struct Message {
    int from = 0;
    std::string bytes;
  };

  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Messages between two ranks arrive in the order in which they were sent. May block while a large message is sent.
  virtual void send(int to, const std::string& bytes) = 0;
  // A message from any rank; nothing if none has arrived. Does not block.
  virtual std::optional<Message> receive() = 0;
};

}  // namespace lpot
