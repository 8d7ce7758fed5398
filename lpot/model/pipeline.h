// A TensorFlow graph may read its data itself: files go through a pipeline of ops that end in IteratorGetNext. None of
// that can be converted, nor is it wanted: the data come from a data set, and the model begins at the iterator's
// outputs.
#pragma once
#include "lpot/model/load.h"
#include "lpot/model/source_graph.h"

namespace lpot {

// The same options, but beginning at the outputs of the iterator that the options' outputs hang on (IteratorGetNext:0,
// ...), where they hang on one. Inputs that only feed the pipeline, as the file's name, are left out; outputs that are
// fields of the iterator are inputs that are handed on. Without outputs, the graph ends where it does.
LoadOptions begin_behind_pipeline(const SourceGraph&, LoadOptions);

}  // namespace lpot
