// The individual postprocess transforms, each in its own file. postprocess.cpp lists them.
#pragma once
#include <memory>

#include "lpot/core/registry.h"
#include "lpot/evaluate/postprocess.h"

namespace lpot {

using PostprocessKind = Kind<std::shared_ptr<const Postprocess>>;
PostprocessKind label_shift();
PostprocessKind squad_v1();

}  // namespace lpot
