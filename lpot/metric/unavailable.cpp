#include "lpot/metric/kinds.h"

namespace lpot {

std::vector<MetricKind> unavailable_metrics() {
  return {{{.name = "SquadF1",
            .summary = "F1 of SQuAD answers, 0..100",
            .refused = "comes with text data sets, which are not available yet; evaluation.accuracy.command takes any "
                       "program that prints a number"},
           nullptr}};
}

}  // namespace lpot
