#include "lpot/data/dataset.h"
#include "lpot/data/datasets/kinds.h"

namespace lpot {
namespace {

const std::vector<DatasetKind>& kinds() {
  static const std::vector<DatasetKind> all = [] {
    std::vector<DatasetKind> list{cifar10_dataset(), mnist_dataset(), fashion_mnist_dataset(), npy_dataset(),
                                  dummy_dataset()};
    for (DatasetKind& kind : unavailable_datasets()) list.push_back(std::move(kind));
    return list;
  }();
  return all;
}

}  // namespace

const Table& datasets() {
  static const Table table = table_of(kinds());
  return table;
}

std::unique_ptr<Dataset> make_dataset(const Component& component) {
  return make_component(kinds(), component, "data set");
}

}  // namespace lpot
