// Functions that are shared by the two kinds of BERT data and by the postprocessing of SQuAD answers.
#pragma once
#include <memory>
#include <vector>

#include "lpot/data/dataset.h"
#include "lpot/data/text/squad_windows.h"

namespace lpot {

// The parameters of the windows, and their values in a component. Throws ConfigError.
std::vector<Parameter> window_parameters();
WindowOptions window_options(const Component&);

// TensorFlow records with integer and float features.
std::unique_ptr<Dataset> make_bert_records(const Component&);

}  // namespace lpot
