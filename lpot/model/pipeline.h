// Removes the input pipeline of a TensorFlow graph. Some graphs read their data from files with ops that end in
// IteratorGetNext. OpenVINO does not support these ops, and lpot reads the data itself. The model then begins at the
// outputs of the iterator.
#pragma once
#include "lpot/model/load.h"
#include "lpot/model/source_graph.h"

namespace lpot {

// Returns the options with the iterator's outputs (IteratorGetNext:0, ...) as inputs, if the outputs depend on an
// iterator, else unchanged. Inputs that only feed the pipeline, such as a file name, are removed. An output of the
// iterator that is also in options.outputs is forwarded. If options.outputs is empty, the graph's outputs are used.
LoadOptions cut_off_pipeline(const SourceGraph&, LoadOptions);

}  // namespace lpot
