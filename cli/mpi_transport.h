// The transport between the processes of mpirun: mpirun -n 4 lpot tune ...
#pragma once
#include <memory>

#include "lpot/distributed/transport.h"

namespace lpot::cli {

// The transport, or null for a single process, which does not initialize MPI. Throws DistributedError when there are
// several processes and this program was built without MPI.
std::unique_ptr<Transport> make_mpi_transport();

// Ends this process without waiting for the others, because one of them may have died.
[[noreturn]] void exit_without_waiting(int code);

}  // namespace lpot::cli
