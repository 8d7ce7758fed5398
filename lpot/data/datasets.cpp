#include "lpot/data/dataset.h"
#include "lpot/data/datasets/kinds.h"

namespace lpot {
namespace {

const std::vector<DatasetKind>& dataset_kinds() {
  static const std::vector<DatasetKind> all{cifar10_dataset(),        cifar100_dataset(),     mnist_dataset(),
                                            fashion_mnist_dataset(),  image_folder_dataset(), imagenet_raw_dataset(),
                                            image_record_dataset(),   tf_record_dataset(),    voc_record_dataset(),
                                            coco_record_dataset(),    coco_raw_dataset(),     coco_npy_dataset(),
                                            style_transfer_dataset(), bert_dataset(),         glue_dataset(),
                                            text_dataset(),           npy_dataset(),          dummy_dataset(),
                                            dummy_v2_dataset(),       audio_dataset(),        text_images_dataset()};
  return all;
}

}  // namespace

const Table& datasets() {
  static const Table table = table_of(dataset_kinds());
  return table;
}

std::unique_ptr<Dataset> make_dataset(const Component& component) {
  return make_component(dataset_kinds(), component, "data set");
}

}  // namespace lpot
