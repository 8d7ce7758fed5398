#include "lpot/model/save.h"

#include <fmt/format.h>
#include <unistd.h>

#include <openvino/openvino.hpp>
#include <openvino/pass/serialize.hpp>
#include <streambuf>

#include "lpot/core/error.h"
#include "lpot/core/file.h"
#include "lpot/model/openvino_error.h"

namespace lpot {
namespace fs = std::filesystem;
namespace {

// On a full disk, OpenVINO throws different exceptions, or none at all if closing the file fails.
void serialize(const Model& model, const fs::path& xml, const fs::path& target) {
  try {
    ov::save_model(model.graph, xml.string(), /*compress_to_fp16=*/false);
  } catch (const std::ios_base::failure&) {
    throw StoreError(
        "save_model",
        fmt::format("{}: cannot write the file. Check that the disk is not full or read-only", target.string()));
  } catch (const std::exception& error) {
    rethrow_out_of_memory(error);
    throw StoreError("save_model",
                     fmt::format("{}: cannot write the file: {}. Check that the disk is not full or read-only",
                                 target.string(), shorten_openvino_message(error.what())));
  }
}

// Counts the written bytes without storing them.
class CountingBuffer : public std::streambuf {
 public:
  std::size_t count() const { return count_; }

 protected:
  int_type overflow(int_type letter) override {
    ++count_;
    return traits_type::not_eof(letter);
  }
  std::streamsize xsputn(const char*, std::streamsize size) override {
    count_ += static_cast<std::size_t>(size);
    return size;
  }
  // The serializer asks for the position to get the offset of a constant.
  pos_type seekoff(off_type offset, std::ios_base::seekdir direction, std::ios_base::openmode) override {
    return direction == std::ios_base::cur && offset == 0 ? pos_type(static_cast<off_type>(count_))
                                                          : pos_type(off_type(-1));
  }

 private:
  std::size_t count_ = 0;
};

}  // namespace

std::size_t saved_size(const Model& model) {
  CountingBuffer xml, bin;
  std::ostream xml_stream(&xml), bin_stream(&bin);
  ov::pass::Serialize(xml_stream, bin_stream).run_on_model(model.graph);
  return xml.count() + bin.count();
}

std::size_t save_model(const Model& model, const fs::path& xml) {
  create_folder(xml.has_parent_path() ? xml.parent_path() : fs::path("."));
  const fs::path bin = fs::path(xml).replace_extension(".bin");
  const fs::path new_xml = fs::path(xml).replace_extension(fmt::format(".{}.tmp.xml", ::getpid()));
  const fs::path new_bin = fs::path(new_xml).replace_extension(".bin");
  try {
    serialize(model, new_xml, xml);
    // Reading the files back detects incomplete writes.
    ov::Core().read_model(new_xml.string());
    const std::size_t bytes = fs::file_size(new_xml) + fs::file_size(new_bin);
    sync_file(new_xml);
    sync_file(new_bin);
    // The old .xml is removed first, so that an .xml never exists beside the .bin of another model.
    fs::remove(xml);
    fs::rename(new_bin, bin);
    fs::rename(new_xml, xml);
    return bytes;
  } catch (const std::exception& error) {
    std::error_code ignored;
    fs::remove(new_xml, ignored);
    fs::remove(new_bin, ignored);
    if (dynamic_cast<const StoreError*>(&error)) throw;
    rethrow_out_of_memory(error);
    throw StoreError("save_model", fmt::format("{}: cannot write the file: {}", xml.string(),
                                               shorten_openvino_message(error.what())));
  }
}

}  // namespace lpot
