// The processes that work on one run together (mpirun -n 4 lpot tune ...), as ranks that send each other bytes.
//
// Rank 0 runs the program as one process would and writes what is written; the others do what it asks for
// (share/helper.h). How bytes get from one to the other is not decided here: cli/mpi_team.cpp does it with MPI, tests
// with threads.
#pragma once
#include <optional>
#include <string>

namespace lpot {

class Team {
 public:
  struct Message {
    int from = 0;
    std::string bytes;
  };

  virtual ~Team() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // What one rank sends another comes in the order in which it was sent. May wait until a large message is taken.
  virtual void send(int to, const std::string& bytes) = 0;
  virtual std::optional<Message> receive() = 0;  // from anyone; nothing when nothing has come: it does not wait
};

}  // namespace lpot
