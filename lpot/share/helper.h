// The part of the ranks from 1 on: they wait for orders of rank 0 and work on their jobs.
#pragma once
#include <functional>
#include <string>

#include "lpot/core/team.h"
#include "lpot/share/jobs.h"

namespace lpot {

// What an order asks for. What it throws, and what the work throws outside of jobs, is thrown at rank 0.
using Orders = std::function<Duty(const std::string& order)>;

// Until rank 0 dismisses the helpers.
void serve(Team&, const Orders&);

}  // namespace lpot
