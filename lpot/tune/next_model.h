// The model that will probably be wanted next, made and compiled while the present one runs.
//
//   next.expect(step, make);          // nothing happens yet
//   auto made = next.take(plan);      // what was expected before, if this is its plan; now the new one is begun
//   next.runs(Step::Kind::Probe);     // runners that ask from now on run a probe
//
// It is compiled for what the last model of its kind was compiled for. What was expected and did not come is dropped.
#pragma once
#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "lpot/quantize/graph/edits.h"
#include "lpot/runtime/runner.h"
#include "lpot/strategies/strategy.h"

namespace lpot {

class NextModel : public Compilations {
 public:
  struct Made {
    Edits edits;
    Model model;
  };
  using Make = std::function<Made()>;  // called in a thread of its own

  void expect(const Step&, Make);
  std::optional<Made> take(const Plan&);  // waits for it; throws what making it threw
  void runs(Step::Kind kind);
  std::optional<Executable> take(const Model&, const CompileOptions&) override;

 private:
  // One model in the making, in a thread that ends with it.
  class Making {
   public:
    Making(Plan, Make, std::vector<CompileOptions> wanted);
    const Plan& plan() const { return plan_; }
    Made take() { return made_.get(); }
    std::optional<Executable> take(const Model&, const CompileOptions&);

   private:
    void work(const std::stop_token&, const Make&, std::promise<Made>&, const std::vector<CompileOptions>& wanted);

    Plan plan_;
    std::future<Made> made_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<const ov::Model> graph_;
    std::vector<CompileOptions> pending_;  // one of them is perhaps being compiled
    std::deque<std::pair<CompileOptions, Executable>> ready_;
    std::jthread thread_;
  };

  struct Expected {
    Step step;
    Make make;
  };

  void begin();

  std::optional<Expected> expected_;
  std::unique_ptr<Making> present_, next_;
  Step::Kind running_ = Step::Kind::Try;
  std::array<std::vector<CompileOptions>, 2> asked_;  // by the last model of each kind
};

}  // namespace lpot
