// What data sets of TensorFlow records share: the image is decoded from image/encoded, the label is up to each.
#pragma once
#include <string>

#include "lpot/data/dataset.h"
#include "lpot/data/tf_example.h"
#include "lpot/data/tfrecord.h"

namespace lpot {

class RecordDataset : public Dataset {
 public:
  // Reads `root`; of a folder, the files that start with `prefix` where there are any.
  RecordDataset(const Component&, const std::string& prefix);

  std::size_t size() const override { return records_.size(); }
  std::string identity() const override { return identity_; }
  Sample at(std::size_t index) const override;
  Tensor label(std::size_t index) const override;

 private:
  // Throws DataError about what the record lacks.
  virtual Tensor label_of(const Example&) const = 0;

  // Runs `use` on a record; errors get its place.
  template <typename Use>
  auto with_example(std::size_t index, Use use) const;

  std::string name_;
  TFRecords records_;
  std::string identity_;
};

// The picture in a feature of encoded bytes. Throws DataError when the record has no such feature.
Tensor decode_feature(const Example&, const std::string& name);

}  // namespace lpot
