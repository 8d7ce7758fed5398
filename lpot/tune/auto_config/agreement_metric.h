// Chooses the metric that compares with the fp32 model, for data without labels.
//
//   use_agreement_metric(config, model, loader, observer);   // a detector gets BoxAgreement
//
// The fp32 model runs on a few samples. Their outputs show whether they are classes, boxes, maps, embeddings or other
// values (output_role.h).
#pragma once
#include "lpot/config/config.h"
#include "lpot/core/observer.h"
#include "lpot/data/loader.h"
#include "lpot/model/model.h"

namespace lpot {

// Replaces the metrics, and adds the postprocess that the metric needs. A relative goal of plain values becomes a mean
// squared error: the same share of the variance of the outputs.
void use_agreement_metric(Config&, const Model&, const DataLoader&, const Observer& = {});

}  // namespace lpot
