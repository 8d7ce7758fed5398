// The base of data sets of TensorFlow records. It decodes the image from image/encoded; derived classes read the label.
#pragma once
#include <string>

#include "lpot/data/dataset.h"
#include "lpot/data/tf_example.h"
#include "lpot/data/tfrecord.h"

namespace lpot {

class RecordDataset : public Dataset {
 public:
  // Opens `root`. In a folder, only the files that start with `prefix` are read, if there are any.
  RecordDataset(const Component&, const std::string& prefix);

  std::size_t size() const override { return records_.size(); }
  std::string identity() const override { return identity_; }
  Sample at(std::size_t index) const override;
  Tensor label(std::size_t index) const override;

 private:
  // Throws DataError if the record lacks a feature.
  virtual Tensor label_of(const Example&) const = 0;

  // Calls `use` with a record and adds the file and the record number to errors.
  template <typename Use>
  auto with_example(std::size_t index, Use use) const;

  std::string name_;
  TFRecords records_;
  std::string identity_;
};

// Decodes the image in a feature. Throws DataError if the record has no such feature.
Tensor decode_feature(const Example&, const std::string& name);

}  // namespace lpot
