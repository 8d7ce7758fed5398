// What the two kinds of BERT's data share with each other and with the postprocessing of answers.
#pragma once
#include <memory>
#include <vector>

#include "lpot/data/dataset.h"
#include "lpot/data/text/squad_windows.h"

namespace lpot {

// The parameters that say how windows are cut, and what a component says in them. Throws ConfigError.
std::vector<Parameter> window_parameters();
WindowOptions window_options(const Component&);

// TensorFlow records with features of whole numbers and floats.
std::unique_ptr<Dataset> make_bert_records(const Component&);

}  // namespace lpot
