// The parameters that the metrics of detections share: mAP, COCOmAP, VOCmAP and BoxAgreement.
#pragma once
#include <string>
#include <vector>

#include "lpot/core/component.h"

namespace lpot {

Parameter thresholds_parameter(const std::string& default_value);  // iou_thrs
Parameter points_parameter(const std::string& default_value);      // map_points

// The values of these parameters. Throws ConfigError.
std::vector<double> read_thresholds(const Component&);
int read_points(const Component&);

}  // namespace lpot
