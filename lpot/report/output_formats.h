// The formats that a quantized model is saved in beside OpenVINO's IR (model.xml and model.bin).
//
//   for (const OutputFormat& format : output_formats()) std::cout << format.file << "\n";
//
// A new one needs:
// - its writer in quantize/writers/, which applies `Edits`
// - its row in output_formats.cpp. save_deployment, result.json, the text after a run, `lpot serve` and the removal of
//   temporary files use the table.
// - its tests in tests/quantize/writers/, and its file in docs/results.md
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lpot/model/model.h"
#include "lpot/quantize/graph/edits.h"
#include "lpot/report/static_shapes.h"

namespace lpot {

struct OutputFormat {
  const char* name;       // the key in result.json
  const char* file;       // beside model.xml
  const char* framework;  // that runs the file
  ModelFormat source;     // models of this format are also saved in the output format
  // Writes the file. Throws ModelError where the format cannot express the edits; then the file is left out.
  // `target` is a temporary name. Large models also get `target` + ".data", to which the file refers as
  // `final_name` + ".data".
  std::size_t (*write)(const Model& source, const Edits&, const std::filesystem::path& target,
                       const std::string& final_name);
  // Lines of Python that run the file.
  std::string (*run_lines)(const std::filesystem::path& file, const StaticShapes&);
};

const std::vector<OutputFormat>& output_formats();

// Throws std::out_of_range for an unknown name.
const OutputFormat& output_format(const std::string& name);

}  // namespace lpot
