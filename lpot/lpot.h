// The public API of lpot: what a program needs that tunes models through the library. Link lpot::lpot.
//
//   lpot::Config config = lpot::load_config({"conf.yaml"});
//   lpot::TuneResult result = lpot::tune(config, {.model = "resnet20.onnx", .output = "int8"});
//   std::cout << result.best->result->accuracy << " " << result.model << "\n";  // int8/model.xml, saved
//
// Data, metrics and strategies may be user-defined classes, and the Config may be built in code. See examples/cpp.
// Errors are lpot::Error. The library never prints: it reports to an Observer.
//
// These headers are installed, and no others; each includes only headers of this list.
#pragma once
// Tune, quantize, diagnose.
#include "lpot/report/static_shapes.h"
#include "lpot/report/tune_result.h"
#include "lpot/tune/tune.h"
#include "lpot/tune/user_components.h"
// Configurations.
#include "lpot/config/config.h"
#include "lpot/config/load.h"
// Interfaces for data, metrics, evaluation, strategies and transports of the caller.
#include "lpot/data/dataset.h"
#include "lpot/data/transform.h"
#include "lpot/distributed/transport.h"
#include "lpot/evaluate/evaluation_function.h"
#include "lpot/evaluate/postprocess.h"
#include "lpot/metrics/metric.h"
#include "lpot/strategies/strategy.h"
// Plans, trials and what is known of ops.
#include "lpot/plan/capability.h"
#include "lpot/plan/diagnosis.h"
#include "lpot/plan/goal.h"
#include "lpot/plan/kernel_variants.h"
#include "lpot/plan/plan.h"
#include "lpot/plan/plan_index.h"
#include "lpot/plan/recipes.h"
#include "lpot/plan/search_space.h"
#include "lpot/plan/study_outcome.h"
#include "lpot/plan/trial.h"
// Values that all of them use.
#include "lpot/core/clock.h"
#include "lpot/core/component.h"
#include "lpot/core/cpu.h"
#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/core/input_naming.h"
#include "lpot/core/lazy.h"
#include "lpot/core/observer.h"
#include "lpot/core/op_info.h"
#include "lpot/core/recipe.h"
#include "lpot/core/scheme.h"
#include "lpot/core/tensor.h"
#include "lpot/core/version.h"
#include "lpot/core/with_warnings.h"
#include "lpot/model/model.h"
