#include "lpot/distributed/batch_executor.h"

#include "lpot/core/cpu.h"
#include "lpot/distributed/coordinated_session.h"
#include "lpot/distributed/coordinator.h"
#include "lpot/distributed/local_session.h"

namespace lpot {

int LocalExecutor::threads(int requested) const { return thread_count(requested); }

std::unique_ptr<BatchSession> LocalExecutor::open(BatchProgram program) const {
  return std::make_unique<LocalSession>(std::move(program));
}

int CoordinatedExecutor::threads(int requested) const { return coordinator_.threads(requested); }

std::unique_ptr<BatchSession> CoordinatedExecutor::open(BatchProgram program) const {
  return std::make_unique<CoordinatedSession>(coordinator_, std::move(program));
}

std::unique_ptr<BatchExecutor> make_executor(Coordinator* coordinator) {
  if (coordinator) return std::make_unique<CoordinatedExecutor>(*coordinator);
  return std::make_unique<LocalExecutor>();
}

}  // namespace lpot
