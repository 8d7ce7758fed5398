#include "lpot/quantize/quantize.h"

#include "lpot/quantize/resolve.h"
#include "lpot/quantize/writers/openvino.h"

namespace lpot {

Model quantize(const Model& model, const Plan& plan, const Statistics& statistics) {
  return apply(model, resolve(model, plan, statistics));
}

}  // namespace lpot
