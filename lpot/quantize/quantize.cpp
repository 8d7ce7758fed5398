#include "lpot/quantize/quantize.h"

#include "lpot/quantize/edits.h"

namespace lpot {

Model quantize(const Model& model, const Plan& plan, const Statistics& statistics) {
  return apply(model, resolve(model, plan, statistics));
}

}  // namespace lpot
