// Reads the parts that several sections of a configuration share: data loaders, tensor restrictions, instances.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lpot/config/components.h"
#include "lpot/config/load.h"
#include "lpot/config/values.h"

namespace lpot::yaml {

// The `dataloader` of a section, if it has one.
std::optional<LoaderConfig> read_loader(const Section& parent, const ComponentTables&);

// The `weight` and `activation` of a section.
OpRestriction read_restriction(const Section&);

// The `op_wise` of a section: restrictions by node name, in written order.
std::vector<std::pair<std::string, OpRestriction>> read_op_wise(const Section& parent);

// The cores and threads of a `configs` section.
InstanceConfig read_instances(const Section&);

// The `iteration` of a section: -1 or at least 1.
std::int64_t read_iteration(const Section&);

}  // namespace lpot::yaml
