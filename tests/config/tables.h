// Small component tables that resemble the real ones, so that lpot/config is tested without the other layers.
#pragma once
#include "lpot/config/load.h"
#include "tests/support/recipes.h"

namespace lpot {

inline const Table kDatasets{
    {.name = "CIFAR10",
     .summary = "images of 10 kinds",
     .parameters = {{.name = "root", .kind = ValueKind::Path, .required = true, .summary = "folder of the batches"},
                    {.name = "train", .kind = ValueKind::Flag, .default_value = "false"}}},
    {.name = "FashionMNIST",
     .summary = "clothes",
     .parameters = {{.name = "root", .kind = ValueKind::Path, .required = true, .summary = "folder of the files"}}},
    {.name = "several",
     .summary = "Several inputs",
     .parameters = {{.name = "shapes", .kind = ValueKind::TextList, .required = true, .summary = "a shape each"}}},
    {.name = "dummy",
     .summary = "random numbers",
     .parameters = {{.name = "shape", .kind = ValueKind::IntegerList, .required = true, .summary = "of a sample"},
                    {.name = "low", .kind = ValueKind::NumberList, .default_value = "[-127.0]"},
                    {.name = "high", .kind = ValueKind::NumberList, .default_value = "127"},
                    {.name = "label", .kind = ValueKind::Flag, .default_value = "true"}}},
    {.name = "GLUE",
     .summary = "sentences",
     .parameters = {{.name = "data_dir", .kind = ValueKind::Path, .required = true, .summary = "folder"},
                    {.name = "task", .kind = ValueKind::Text, .default_value = "mrpc", .choices = {"mrpc", "sst-2"}},
                    {.name = "max_seq_length", .kind = ValueKind::Integer, .default_value = "128"}}},
    {.name = "npy",
     .summary = "arrays in files",
     .parameters = {{.name = "inputs", .kind = ValueKind::TextMap, .required = true, .summary = "file of each tensor"},
                    {.name = "labels", .kind = ValueKind::Path}}},
    {.name = "COCORecord", .summary = "records", .refused = "its records need TensorFlow; use COCORaw"},
};

inline const Table kTransforms{
    {.name = "Resize",
     .summary = "to a size",
     .parameters = {{.name = "size", .kind = ValueKind::IntegerList, .required = true, .summary = "height and width"},
                    {.name = "interpolation", .kind = ValueKind::Text, .default_value = "bilinear"}},
     .shorthand = "size"},
    {.name = "CenterCrop",
     .summary = "the middle",
     .parameters = {{.name = "size", .kind = ValueKind::IntegerList, .required = true, .summary = "height and width"}},
     .shorthand = "size"},
    {.name = "BilinearImagenet",
     .summary = "crop and resize",
     .parameters = {{.name = "height", .kind = ValueKind::Integer, .required = true, .summary = "in pixels"},
                    {.name = "width", .kind = ValueKind::Integer, .required = true, .summary = "in pixels"},
                    {.name = "central_fraction", .kind = ValueKind::Number, .default_value = "87.5%"}}},
    {.name = "Normalize",
     .summary = "by mean and deviation",
     .parameters = {{.name = "mean", .kind = ValueKind::NumberList, .default_value = "[0.0]"},
                    {.name = "std", .kind = ValueKind::NumberList, .default_value = "[1.0]"}}},
    {.name = "ToTensor", .summary = "channels first, 0..1"},
    {.name = "Rescale", .summary = "by 1/255"},
};

inline const Table kPostprocesses{
    {.name = "LabelShift",
     .summary = "shifts labels",
     .parameters = {{.name = "by", .kind = ValueKind::Integer, .required = true, .summary = "how far"}},
     .shorthand = "by"},
    {.name = "SquadV1",
     .summary = "answers from logits",
     .parameters = {{.name = "label_file", .kind = ValueKind::Path, .required = true, .summary = "dev-v1.1.json"},
                    {.name = "vocab_file", .kind = ValueKind::Path, .required = true, .summary = "vocab.txt"}}},
};

inline const Table kMetrics{
    {.name = "topk",
     .summary = "label among the k best",
     .parameters = {{.name = "k", .kind = ValueKind::Integer, .default_value = "1", .choices = {"1", "5"}}},
     .shorthand = "k"},
    {.name = "Accuracy", .summary = "equal labels"},
    {.name = "F1", .summary = "of precision and recall"},
    {.name = "MSE",
     .summary = "mean squared error",
     .parameters = {{.name = "compare_label", .kind = ValueKind::Flag, .default_value = "true"}}},
    {.name = "SquadF1", .summary = "of answers"},
};

inline const Table kStrategies{
    {.name = "basic", .summary = "in order of the space"},
    {.name = "bayesian", .summary = "gaussian process"},
    {.name = "tpe",
     .summary = "tree of Parzen estimators",
     .parameters = {{.name = "accuracy_weight", .kind = ValueKind::Number, .default_value = "1.0"},
                    {.name = "latency_weight", .kind = ValueKind::Number, .default_value = "1.0"}}},
    {.name = "sigopt", .summary = "a service", .refused = "it needs a paid service; use bayesian"},
};

inline const ComponentTables kTables{kDatasets, kTransforms, kPostprocesses, kMetrics, kStrategies, kDeclaredRecipes};

}  // namespace lpot
