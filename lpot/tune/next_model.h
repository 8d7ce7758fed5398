// Builds and compiles the model that is probably needed next, in a background thread, while the current model runs.
//
//   next.expect(step, build);                // only stores the step
//   auto built = next.acquire_model(plan);   // the model of the previous step, if its plan is this one
//   next.set_running(Step::Kind::Probe);     // later compilations belong to a probe
//
// acquire_model also starts the build of the expected step. A model is compiled with the options of the last model of
// the same kind. A model that was built for another plan than the requested one is dropped.
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
  struct BuiltModel {
    Edits edits;
    Model model;
  };
  using Build = std::function<BuiltModel()>;  // called in a separate thread

  void expect(const Step&, Build);
  std::optional<BuiltModel> acquire_model(const Plan&);  // waits for the build; throws the exceptions of Build
  void set_running(Step::Kind kind);
  std::optional<Executable> acquire(const Model&, const CompileOptions&) override;

 private:
  // Builds one model in a thread. The destructor joins the thread.
  class BackgroundBuild {
   public:
    BackgroundBuild(Plan, Build, std::vector<CompileOptions> requested);
    const Plan& plan() const { return plan_; }
    BuiltModel wait() { return built_.get(); }
    std::optional<Executable> acquire(const Model&, const CompileOptions&);

   private:
    void run(const std::stop_token&, const Build&, std::promise<BuiltModel>&,
             const std::vector<CompileOptions>& requested);

    Plan plan_;
    std::future<BuiltModel> built_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<const ov::Model> graph_;
    std::vector<CompileOptions> pending_;  // not compiled yet; once for each request
    std::deque<std::pair<CompileOptions, Executable>> ready_;
    std::jthread thread_;
  };

  struct Expected {
    Step step;
    Build build;
  };

  void begin();

  std::optional<Expected> expected_;
  std::unique_ptr<BackgroundBuild> current_, next_;
  Step::Kind running_ = Step::Kind::Try;
  std::array<std::vector<CompileOptions>, 2> requested_;  // by the last model of each kind
};

}  // namespace lpot
