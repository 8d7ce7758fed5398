// A sum that does not depend on the order of its terms within the precision of a double.
#pragma once
#include <cmath>

namespace lpot {

// Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen, 1974; in long double.
class Sum {
 public:
  void add(long double value) {
    const long double next = total_ + value;
    lost_ += std::fabs(total_) >= std::fabs(value) ? (total_ - next) + value : (value - next) + total_;
    total_ = next;
  }
  void add(const Sum& other) {
    add(other.total_);
    add(other.lost_);
  }
  long double value() const { return total_ + lost_; }

 private:
  long double total_ = 0;
  long double lost_ = 0;
};

}  // namespace lpot
