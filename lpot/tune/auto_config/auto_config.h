// Makes a configuration from a model and a folder of data.
//
//   const Model model = load_model("mobilenet_v2.onnx");
//   const AutoConfig found = auto_config(model, {.data = "pictures"});
//   for (const std::string& line : found.findings) std::cout << line << "\n";
//   const Config config = load_config_text(found.text, "conf.yaml", component_tables());
//
// inspect_folder (data/folder_content.h) says what the folder contains. The preprocessing of images is the one with
// which the fp32 model works best on some of them (preprocessing_search.h). With labels, the metric is top-1; without
// labels, it compares with the fp32 model (choose_metric). Calibration and evaluation use different samples if there
// are enough.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lpot/core/observer.h"
#include "lpot/model/model.h"

namespace lpot {

struct AutoConfigOptions {
  std::filesystem::path data = {};
  double max_loss = 0.01;
  std::string normalization = {};         // a name of normalization_names(); "": found by trying all
  std::filesystem::path vocabulary = {};  // for texts; "": vocab.txt beside the data or the model
  std::string audio = {};                 // parameters of the data set `audio` that are known: "sample_rate: 8000"
};

struct AutoConfig {
  std::string text;                        // YAML
  std::vector<std::string> findings = {};  // what was found, for the user; also in the comments of the text
  std::vector<std::string> warnings = {};
};

// Runs the fp32 model on some samples. Throws DataError if the data do not fit the model.
AutoConfig auto_config(const Model&, const AutoConfigOptions&, const Observer& = {});

// The values of AutoConfigOptions::normalization: "imagenet", "imagenet-bgr", "0..1", ...
std::vector<std::string> normalization_names();

}  // namespace lpot
