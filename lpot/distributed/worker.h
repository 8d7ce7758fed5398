// The side of the workers, ranks 1 and up: they wait for orders from the coordinator and answer the jobs of each order.
//
//   run_worker(transport, [](const std::string& order) -> WorkerTask { return make_task(order); });
//
#pragma once
#include <functional>
#include <string>

#include "lpot/distributed/jobs.h"
#include "lpot/distributed/transport.h"

namespace lpot {

// Returns the task for an order. Errors of the handler, and errors of the task outside of jobs, are thrown by
// Coordinator::run.
using OrderHandler = std::function<WorkerTask(const std::string& order)>;

// Returns when the coordinator dismisses the workers.
void run_worker(Transport&, const OrderHandler&);

}  // namespace lpot
