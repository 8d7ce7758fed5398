// Many processes on one study. Rank 0 tunes as one process would; the others, in `help`, calibrate and evaluate the
// batches that it hands out, with the model, data and configuration that they read themselves. They write nothing.
//
//   if (team.rank() == 0) tune(config, {.model = model, .team = &team});
//   else help(team, [&] { return config; }, {.model = model});
//   if (team.rank() == 0) dismiss(team);
//
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "lpot/config/config.h"
#include "lpot/core/observer.h"
#include "lpot/core/team.h"
#include "lpot/share/crew.h"
#include "lpot/tune/bench.h"
#include "lpot/tune/own.h"

namespace lpot {

// Until rank 0 dismisses its helpers. The config is asked for when it is needed; what goes wrong is told at rank 0.
void help(Team&, std::function<Config()> config, OwnParts = {});

// What stands on rank 0's side. Nothing for a team of one, or none.
std::unique_ptr<Crew> make_crew(Team*);

struct SharedData {
  const DataLoader* calibration = nullptr;
  const DataLoader* evaluation = nullptr;
};
// Throws what a helper's reading of model and data throws, and TeamError where they are not those of rank 0.
void compare_with_helpers(Crew&, const Model&, const SharedData&, const Observer&);
void tell_statistics(Crew&, const StatisticsByPlan&, const Observer&);  // which helpers make models of plans with

// Model::recipe of what is made of a plan, and of a model whose channels were evened out.
std::string recipe_of(const Plan& carried_out);
inline constexpr const char* kEqualized = "equalized";

}  // namespace lpot
