#include "lpot/strategies/strategy.h"

#include <algorithm>

namespace lpot {
namespace {

PlanKey index_key(const Trial& trial) { return key_of(trial.plan); }
PlanKey index_key(const Probe& probe) { return probe_key(key_of(probe.plan), probe.level); }

template <typename Record>
const Record* find_plan(const std::vector<Record>& records, const PlanIndex* shared, PlanIndex& own, PlanKey key) {
  if (!shared)
    while (own.size() < records.size()) own.add(index_key(records[own.size()]));
  const auto found = (shared ? *shared : own).find(key);
  return found ? &records[*found] : nullptr;
}

}  // namespace

const std::vector<Probe>& History::no_probes() {
  static const std::vector<Probe> kNone;
  return kNone;
}

const Trial* History::find(PlanKey key) const { return find_plan(trials, trial_index_, own_trial_index_, key); }
const Probe* History::find_probe(PlanKey key, int level) const {
  return find_plan(probes, probe_index_, own_probe_index_, probe_key(key, level));
}

bool History::met() const {
  return std::any_of(trials.begin(), trials.end(),
                     [&](const Trial& trial) { return trial.result && goal.met(trial.result->accuracy); });
}

}  // namespace lpot
