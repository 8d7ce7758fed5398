#include "lpot/data/datasets/coco.h"

#include <fmt/format.h>

#include <fstream>
#include <map>

#include "lpot/core/error.h"
#include "lpot/core/json.h"

namespace lpot {
namespace {

// Skips segmentation outlines while parsing: they are most of the file and not needed here.
Json parse(std::istream& file) {
  return Json::parse(file, [](int, Json::parse_event_t event, Json& value) {
    return event != Json::parse_event_t::key || value != "segmentation";
  });
}

struct ImageSize {
  std::size_t place = 0;  // in the list of images
  float height = 0, width = 0;
};

LabelledBox read_box(const Json& annotation, const ImageSize& image) {
  const auto corner = annotation.at("bbox").get<std::vector<float>>();  // left, top, width, height in pixels
  if (corner.size() != 4) throw DataError("parse", fmt::format("a bbox has {} numbers; expected 4", corner.size()));
  LabelledBox box;
  box.x_min = corner[0] / image.width;
  box.y_min = corner[1] / image.height;
  box.x_max = (corner[0] + corner[2]) / image.width;
  box.y_max = (corner[1] + corner[3]) / image.height;
  box.class_id = annotation.at("category_id").get<float>();
  box.crowd_or_difficult = annotation.value("iscrowd", 0) != 0;
  box.area = annotation.value("area", corner[2] * corner[3]);
  return box;
}

std::vector<CocoImage> read_images(const Json& document) {
  std::vector<CocoImage> images;
  std::map<std::int64_t, ImageSize> sizes;
  for (const Json& image : document.at("images")) {
    const ImageSize size{images.size(), image.at("height").get<float>(), image.at("width").get<float>()};
    if (!(size.height > 0 && size.width > 0))
      throw DataError(
          "parse", fmt::format("image {}: height or width is 0 or less; expected positive numbers", images.size() + 1));
    sizes[json_integer(image.at("id"))] = size;
    images.push_back({image.at("file_name").get<std::string>(), {}});
  }
  for (const Json& annotation : document.at("annotations")) {
    const auto image = sizes.find(json_integer(annotation.at("image_id")));
    if (image == sizes.end())
      throw DataError("parse", fmt::format("an annotation refers to image {}, which is not in images",
                                           json_integer(annotation.at("image_id"))));
    if (annotation.at("bbox").empty()) continue;
    images[image->second.place].boxes.push_back(read_box(annotation, image->second));
  }
  return images;
}

}  // namespace

std::vector<CocoImage> read_coco_annotations(const std::string& dataset, const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file)
    throw DataError(dataset, fmt::format("{}: no such file; set anno_dir to the annotation file", path.string()));
  try {
    return read_images(parse(file));
  } catch (const Json::exception& error) {
    throw DataError(dataset, fmt::format("{}: not a COCO annotation file: {}", path.string(), error.what()));
  } catch (const DataError& error) {
    throw DataError(dataset, fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace lpot
