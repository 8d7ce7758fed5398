// A value that is computed when it is first needed, at most once. Copies share it.
//
//   const Lazy<int> answer([] { return 6 * 7; });
//   assert(answer.get() == 42);
//
// Not for several threads at once.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace lpot {

template <typename Value>
class Lazy {
 public:
  Lazy() : Lazy(Value{}) {}
  Lazy(Value known) : state_(std::make_shared<State>(State{{}, std::move(known)})) {}
  explicit Lazy(std::function<Value()> compute) : state_(std::make_shared<State>(State{std::move(compute), {}})) {}

  const Value& get() const {
    if (!state_->value) state_->value = state_->compute();
    return *state_->value;
  }

 private:
  struct State {
    std::function<Value()> compute;
    std::optional<Value> value;
  };
  std::shared_ptr<State> state_;
};

}  // namespace lpot
