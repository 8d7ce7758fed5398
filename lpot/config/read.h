// A normalised document into a Config.
#pragma once
#include "lpot/config/dialect.h"
#include "lpot/config/load.h"

namespace lpot::yaml {

// Throws ConfigError for the first thing that is wrong, in the order of the key table.
Config read_config(const Document&, const KeyTable&, const ComponentTables&);

}  // namespace lpot::yaml
