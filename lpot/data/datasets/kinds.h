// The data sets. Each is in its own file; datasets.cpp lists them.
//
// A new one needs:
// - its file NAME.cpp in this folder, with NAME_dataset, which is declared here
// - its row in the table of data/datasets.cpp
// - its test tests/data/test_NAME.cpp; test_tables.cpp tests all rows of the table
// - if it parses its own file format: a target in tests/fuzz/targets/
// - `build/bin/lpot reference > docs/reference.md`
#pragma once
#include <memory>
#include <vector>

#include "lpot/core/registry.h"
#include "lpot/data/dataset.h"

namespace lpot {

using DatasetKind = Kind<std::unique_ptr<Dataset>>;

DatasetKind cifar10_dataset();
DatasetKind cifar100_dataset();
DatasetKind mnist_dataset();
DatasetKind fashion_mnist_dataset();
DatasetKind image_folder_dataset();
DatasetKind imagenet_raw_dataset();
DatasetKind image_record_dataset();
DatasetKind tf_record_dataset();
DatasetKind voc_record_dataset();
DatasetKind coco_record_dataset();
DatasetKind coco_raw_dataset();
DatasetKind coco_npy_dataset();
DatasetKind style_transfer_dataset();
DatasetKind bert_dataset();
DatasetKind glue_dataset();
DatasetKind text_dataset();
DatasetKind text_images_dataset();
DatasetKind audio_dataset();
DatasetKind npy_dataset();
DatasetKind dummy_dataset();
DatasetKind dummy_v2_dataset();

}  // namespace lpot
