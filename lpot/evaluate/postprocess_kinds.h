// The individual postprocess transforms, each in its own file. postprocess.cpp lists them.
//
// A new one needs:
// - its file NAME.cpp in this folder, with a function NAME, which is declared here
// - its row in the table of postprocess.cpp
// - its test tests/evaluate/test_NAME.cpp
// - `build/bin/lpot reference > docs/reference.md`
#pragma once
#include <memory>

#include "lpot/core/registry.h"
#include "lpot/evaluate/postprocess.h"

namespace lpot {

using PostprocessKind = Kind<std::shared_ptr<const Postprocess>>;
PostprocessKind ctc();
PostprocessKind boxes();
PostprocessKind label_shift();
PostprocessKind squad_v1();

}  // namespace lpot
