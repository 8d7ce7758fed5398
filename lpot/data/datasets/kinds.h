// The data sets, one a file; datasets.cpp lists them.
#pragma once
#include <memory>
#include <vector>

#include "lpot/data/dataset.h"
#include "lpot/core/registry.h"

namespace lpot {

using DatasetKind = Kind<std::unique_ptr<Dataset>>;

DatasetKind cifar10_dataset();
DatasetKind mnist_dataset();
DatasetKind fashion_mnist_dataset();
DatasetKind npy_dataset();
DatasetKind dummy_dataset();

// Names of LPOT that have no implementation here.
std::vector<DatasetKind> unavailable_datasets();

}  // namespace lpot
