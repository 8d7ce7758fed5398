// What every way of quantizing needs: the model, what may become of it, and what was measured of it.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lpot/calibrate/statistics.h"
#include "lpot/config/config.h"
#include "lpot/core/cpu.h"
#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/model/model.h"
#include "lpot/quantize/forms/choose.h"
#include "lpot/quantize/forms/memory.h"
#include "lpot/quantize/space.h"
#include "lpot/tune/own.h"

namespace lpot {

struct Edits;
class Crew;

struct Bench {
  Cpu cpu = detect_cpu();
  Model model;
  std::string name;
  std::vector<QuantizableOp> ops;
  SearchSpace space;
  DataLoader calibration;
  QuantizationConfig wanted = {};  // the config's, without keys of ops that have no int8
  Crew* crew = nullptr;            // whose processes share the work
};

// Throws ConfigError and ModelError when there is nothing to quantize.
Bench make_bench(const Config&, const std::filesystem::path& model, const OwnParts&, const Observer&);

bool is_dynamic(const Config&);  // nothing is calibrated

// Statistics by what plans ask for: the sampling size that they name (0 where there is only one), and whether recipes
// rescaled the model that they are of.
class StatisticsByPlan {
 public:
  struct Key {
    std::size_t sampling_size = 0;
    bool equalized = false;

    std::string name() const;
    auto operator<=>(const Key&) const = default;
  };

  const Statistics& of(const Plan& plan) const {
    return all.at({plan.sampling_size, plan.recipes.cross_layer_equalization});
  }
  std::map<Key, Statistics> all;
};

// What the plans of the space need. `load` gives the bytes that are kept under a name, `keep` is called with what is
// measured, before it is used.
using LoadKept = std::function<std::optional<std::string>(const std::string& name)>;
using Keep = std::function<void(const std::string& name, const std::string& bytes)>;
StatisticsByPlan statistics_for(const Bench&, const Config&, const Observer&, const LoadKept& load, const Keep& keep);

// The first plan of the search, which what is measured about ops is measured with.
Plan first_plan(const SearchSpace&);

// What a plan of the search is carried out as: weights that take half the range because the CPU may need it take the
// whole where it does not. Bench and statistics must outlive it.
using CarryOut = std::function<Plan(const Plan&)>;
CarryOut carried_out(const Bench&, const Config&, const StatisticsByPlan&);

// From the memory where it knows all ops, else measured and remembered. Nothing when the config wants plain forms, or
// when they cannot be compared. `plan`: everything in int8.
FormChoice measure_forms(const Bench&, const Plan& plan, const Statistics&, const std::vector<Tensor>& sample,
                         const Config&, const FormOptions&, const FormMemory&, const Observer&);

// Gives the ops their forms; those that are slower in int8 stay in fp32 where speed is the objective.
void apply_forms(Bench&, const FormChoice&, const Config&, const Observer&);

// Lets strategies ask for the expected noise of the ops, which is worked out when it is asked for. Ops whose kernels
// can saturate come first. `edits_of`: what a plan of the search comes down to. All must outlive the search space.
using EditsOf = std::function<const Edits&(const Plan&)>;
void offer_noise(Bench&, const Statistics&, const EditsOf& edits_of);

}  // namespace lpot
