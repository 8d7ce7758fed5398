// Int8 tables: rows of floats that are looked up by index (embeddings) are stored as integers with a scale for each
// row, which is a quarter on disk; what is looked up is computed in fp32. Small tables are not worth it.
#pragma once
#include <vector>

#include "lpot/quantize/edits.h"

namespace lpot {

std::vector<TableEdit> table_edits(const Model&);

}  // namespace lpot
