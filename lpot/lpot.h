// What a program needs that tunes models through the library; link lpot::lpot.
//
//   lpot::Config config = lpot::load_config({"conf.yaml"});
//   lpot::TuneResult result = lpot::tune(config, {.model = "resnet20.onnx", .output = "int8"});
//   std::cout << result.best->result->accuracy << " " << result.model << "\n";  // int8/model.xml, saved
//
// Data and metrics may be objects of the program's own classes (data/dataset.h, metric/metric.h), and the Config may be
// made in code; examples/cpp does all three. Errors are lpot::Error. The library never prints: an Observer is told.
#pragma once
#include "lpot/config/config.h"
#include "lpot/config/load.h"
#include "lpot/core/error.h"
#include "lpot/core/observer.h"
#include "lpot/core/tensor.h"
#include "lpot/core/version.h"
#include "lpot/data/dataset.h"
#include "lpot/data/transform.h"
#include "lpot/metric/metric.h"
#include "lpot/tune/quantization.h"
