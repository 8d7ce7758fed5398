// The fuzz targets. Each function accepts any bytes and returns. lpot::Error is the expected reaction to damaged bytes;
// everything else (another exception, a signal, a sanitizer report, a hang) is a finding.
#pragma once
#include <cstdint>
#include <functional>
#include <span>

namespace lpot::fuzz {

using Bytes = std::span<const std::uint8_t>;

void config(Bytes);      // YAML; deploy.yaml is read by the same parser
void tsv(Bytes);         // GLUE's layouts
void squad(Bytes);       // SQuAD's JSON
void coco(Bytes);        // COCO's JSON
void records(Bytes);     // TFRecord files, and tf.Examples with right checksums
void npy(Bytes);         // NumPy arrays
void idx(Bytes);         // MNIST's files
void cifar(Bytes);       // CIFAR-10 and CIFAR-100
void image_list(Bytes);  // val.txt
void jpeg(Bytes);
void png(Bytes);
void wav(Bytes);
void vocabulary(Bytes);     // vocab.txt
void tokenizer(Bytes);      // texts, with a valid vocabulary
void store(Bytes);          // SQLite file
void stored_values(Bytes);  // JSON, CBOR and statistics in the store
void graph(Bytes);          // lpot's own readers of ONNX and TensorFlow files

// Catches lpot::Error, which is the expected reaction to damaged bytes.
void expect_errors(const std::function<void()>&);

}  // namespace lpot::fuzz
