// A session whose passes are shared between the processes of a coordinator.
//
//   CoordinatedSession session(coordinator, {.model = model, .loader = loader});
//   session.run({.positions = {0, 1, 2}}, collector, observer);
//
// The outputs of a batch depend on its compilation, static or dynamic, and that on the shapes of earlier batches
// (runtime/shape_dispatch.h). A worker does not see all earlier batches, so it may choose another compilation than one
// process would. The coordinator receives the answers in order, knows the right choice, and runs such a batch again.
// Data of one shape, or texts of a few lengths, never need this.
#pragma once
#include "lpot/distributed/coordinator.h"
#include "lpot/distributed/local_session.h"

namespace lpot {

class CoordinatedSession : public BatchSession {
 public:
  CoordinatedSession(Coordinator&, BatchProgram);
  void run(const BatchPass&, BatchCollector&, const Observer&) override;

 private:
  void share(const BatchPass&, BatchCollector&, const Observer&);

  Coordinator& coordinator_;
  LocalSession local_;
};

}  // namespace lpot
