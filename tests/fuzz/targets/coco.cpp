#include "lpot/data/datasets/coco.h"
#include "tests/fuzz/targets/support.h"

namespace lpot::fuzz {

void coco(Bytes bytes) {
  expect_errors([&] { read_coco_annotations("COCORaw", write("instances.json", bytes)); });
}

}  // namespace lpot::fuzz
