// The team that mpirun starts: mpirun -n 4 lpot tune ...
#pragma once
#include <memory>

#include "lpot/distributed/transport.h"

namespace lpot::cli {

// The processes that were started together, or nothing for one alone. MPI is not touched then. Throws DistributedError
// when there are several and this program was built without MPI.
std::unique_ptr<Transport> join_team();

// Ends this process without waiting for the others, one of which may not be there any more.
[[noreturn]] void leave_team(int code);

}  // namespace lpot::cli
