// Converts a normalized document to a Config.
#pragma once
#include "lpot/config/load.h"
#include "lpot/config/normalize.h"

namespace lpot::yaml {

// Throws ConfigError for the first error, in the order of the key table.
Config read_config(const Document&, const KeyTable&, const ComponentTables&);

}  // namespace lpot::yaml
