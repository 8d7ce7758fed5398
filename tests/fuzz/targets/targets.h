// What is fed with hostile bytes. Each function takes any bytes and returns; an lpot::Error is the right answer to
// damaged ones, and anything else that comes out (another exception, a signal, a sanitizer's report, a hang) is a
// finding.
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
void vocabulary(Bytes);  // vocab.txt
void tokenizer(Bytes);   // texts, with a vocabulary that is whole
void store(Bytes);       // the file of SQLite
void kept(Bytes);        // JSON, CBOR and statistics inside of it
void graph(Bytes);       // what is read of ONNX and TensorFlow files beside OpenVINO

// Lets lpot::Error pass as the answer that it is.
void expect_errors(const std::function<void()>&);

}  // namespace lpot::fuzz
