#include <gmock/gmock.h>

#include "lpot/core/error.h"
#include "lpot/model/load.h"
#include "lpot/model/save.h"
#include "tests/model/encode.h"

namespace lpot {
namespace {

using encode::describe;
using encode::Folder;
using encode::Names;
using encode::thrown_message;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x -> hidden -> active -> scores, and scores + offset -> sum.
std::string two_layers(const std::string& first_layer) {
  namespace o = encode::onnx;
  return o::model(
      o::input("x", {-1, 4}) + o::input("offset", {-1, 2}) + first_layer +
      o::node("Relu", "relu", {"hidden"}, "active") + o::node("MatMul", "second", {"active", "w2"}, "scores") +
      o::node("Add", "plus", {"scores", "offset"}, "sum") +
      o::weights("w1", {4, 3}, {1, -1, 1, 1, -1, 1, 1, -1, 1, 1, -1, 1}) +
      o::weights("w2", {3, 2}, {1, 2, 3, 4, 5, 6}) + o::output("sum", {-1, 2}) + o::output("active", {-1, 3}));
}
std::string network() { return two_layers(encode::onnx::node("MatMul", "first", {"x", "w1"}, "hidden")); }
std::string network_with_mystery() {
  return two_layers(encode::onnx::node("Mystery", "odd", {"x", "w1"}, "hidden", encode::block(7, "example.org")));
}

class CutOnnx : public ::testing::Test {
 protected:
  Folder folder_;
  std::filesystem::path path_ = folder_.write("net.onnx", network());
};

TEST_F(CutOnnx, BeginsAtATensorWithItsTypeAndShape) {
  const Model model = load_model(path_, {.inputs = {"active", "offset"}, .outputs = {"sum"}});
  EXPECT_THAT(describe(model_inputs(model)), ElementsAre("active f32 [?,3]", "offset f32 [?,2]"));
  EXPECT_THAT(describe(model_outputs(model)), ElementsAre("sum f32 [?,2]"));
  EXPECT_THAT(encode::run_filled(model, 1), ElementsAre(1 + 3 + 5 + 1, 2 + 4 + 6 + 1));
}

TEST_F(CutOnnx, KeepsTheGivenOrderOfInputs) {
  const Model model = load_model(path_, {.inputs = {"offset", "active:0"}, .outputs = {"sum"}});
  EXPECT_THAT(describe(model_inputs(model)), ElementsAre("offset f32 [?,2]", "active f32 [?,3]"));
  const Model own = load_model(path_, {.inputs = {"offset", "x"}});
  EXPECT_THAT(describe(model_inputs(own)), ElementsAre("offset f32 [?,2]", "x f32 [?,4]"));
  EXPECT_THAT(encode::run_filled(own, 1), ElementsAre(4 + 20 + 1, 8 + 24 + 1));
}

TEST_F(CutOnnx, EndsAtATensorAndDropsInputsThatNothingNeeds) {
  const Model model = load_model(path_, {.outputs = {"scores", "hidden"}});
  EXPECT_THAT(describe(model_inputs(model)), ElementsAre("x f32 [?,4]"));
  EXPECT_THAT(describe(model_outputs(model)), ElementsAre("scores f32 [?,2]", "hidden f32 [?,3]"));
  EXPECT_THAT(encode::run_filled(model, 1, 1), ElementsAre(4, -4, 4));
}

TEST_F(CutOnnx, ForwardsAnInputAsAnOutput) {
  const Model model = load_model(path_, {.inputs = {"active"}, .outputs = {"active", "scores"}});
  EXPECT_THAT(describe(model_outputs(model)), ElementsAre("active f32 [?,3]", "scores f32 [?,2]"));
  EXPECT_THAT(encode::run_filled(model, 2), ElementsAre(2, 2, 2));
}

TEST_F(CutOnnx, NamesTheMissingInputOfAnOutput) {
  EXPECT_THAT(thrown_message([&] { load_model(path_, {.inputs = {"active"}, .outputs = {"sum"}}); }),
              AllOf(HasSubstr("'sum' also depends on the input 'offset'"), HasSubstr("(active)")));
  EXPECT_THAT(thrown_message([&] { load_model(path_, {.inputs = {"active"}}); }),
              HasSubstr("the output 'sum' also depends on the input 'offset'"));
  EXPECT_THAT(thrown_message([&] {
                load_model(path_, {.inputs = {"x", "offset"}, .outputs = {"scores"}});
              }),
              HasSubstr("no output depends on 'offset'"));
}

TEST_F(CutOnnx, SuggestsSimilarNamesForAnUnknownTensor) {
  EXPECT_THROW(load_model(path_, {.inputs = {"activ"}}), ModelError);
  EXPECT_THAT(thrown_message([&] { load_model(path_, {.inputs = {"activ"}}); }),
              AllOf(HasSubstr("model.inputs"), HasSubstr("no tensor 'activ'"), HasSubstr("did you mean 'active'")));
  EXPECT_THAT(thrown_message([&] { load_model(path_, {.outputs = {"score"}}); }), HasSubstr("did you mean 'scores'"));
}

TEST_F(CutOnnx, GivesDifferentCutsDifferentFingerprints) {
  const std::string whole = load_model(path_).fingerprint;
  const std::string cut = load_model(path_, {.outputs = {"scores"}}).fingerprint;
  EXPECT_NE(whole, cut);
  EXPECT_NE(cut, load_model(path_, {.outputs = {"hidden"}}).fingerprint);
  EXPECT_NE(whole, load_model(path_, {.input_shapes = {{"x", {2, 4}}}}).fingerprint);
  EXPECT_EQ(cut, load_model(path_, {.outputs = {"scores:0"}}).fingerprint);
}

TEST_F(CutOnnx, IsNotCutAgainOnceSaved) {
  const LoadOptions options{.inputs = {"offset", "active"}, .outputs = {"sum"}, .input_shapes = {{"active", {1, 3}}}};
  const Model cut = load_model(path_, options);
  save_model(cut, folder_ / "cut.xml");
  const Model again = load_model(folder_ / "cut.xml", options);
  EXPECT_EQ(describe(model_inputs(again)), describe(model_inputs(cut)));
  EXPECT_EQ(encode::op_names(again), encode::op_names(cut));
  EXPECT_EQ(encode::run_filled(again, 1), encode::run_filled(cut, 1));
}

TEST_F(CutOnnx, AlsoCutsAnIr) {
  save_model(load_model(path_), folder_ / "whole.xml");
  const Model model = load_model(folder_ / "whole.xml", {.inputs = {"active"}, .outputs = {"scores"}});
  EXPECT_THAT(encode::run_filled(model, 1), ElementsAre(9, 12));
}

TEST_F(CutOnnx, SetsTheInputShapesOfTheConfig) {
  const Model model = load_model(path_, {.input_shapes = {{"x", {8, 4}}, {"offset", {-1, 2}}}});
  EXPECT_THAT(describe(model_inputs(model)), ElementsAre("x f32 [8,4]", "offset f32 [?,2]"));
  EXPECT_THAT(thrown_message([&] {
                load_model(path_, {.input_shapes = {{"y", {8, 4}}}});
              }),
              AllOf(HasSubstr("no input 'y'"), HasSubstr("x, offset")));
  EXPECT_THAT(thrown_message([&] {
                load_model(path_, {.input_shapes = {{"x", {8, 5}}}});
              }),
              HasSubstr("model.input_shapes: the model does not accept x: [8,5]"));
}

TEST_F(CutOnnx, NamesAnUnsupportedOpAndTheCutThatAvoidsIt) {
  const auto path = folder_.write("mystery.onnx", network_with_mystery());
  EXPECT_THAT(thrown_message([&] { load_model(path); }),
              AllOf(HasSubstr("OpenVINO does not support these operations: Mystery. Cut the model after them"),
                    HasSubstr("set \"inputs: [hidden, offset]\" and \"input_shapes: {hidden: [...]}\"")));
  EXPECT_THAT(thrown_message([&] {
                load_model(path, {.inputs = {"hidden", "offset"}});
              }),
              HasSubstr("set it with model.input_shapes: {hidden: [...]}"));
  const Model model = load_model(path, {.inputs = {"hidden", "offset"}, .input_shapes = {{"hidden", {-1, 3}}}});
  EXPECT_THAT(describe(model_inputs(model)), ElementsAre("hidden f32 [?,3]", "offset f32 [?,2]"));
  EXPECT_THAT(encode::run_filled(model, 1), ElementsAre(10, 13));
}

// wav -> DecodeWav -> AudioSpectrogram -> Mfcc -> Reshape -> MatMul, like the start of a keyword spotting graph.
std::string audio_graph() {
  namespace t = encode::tf;
  const std::string floats = t::type("T", 1);
  return t::node("Placeholder", "wav", {}, t::type("dtype", 7)) + t::node("DecodeWav", "decode", {"wav"}) +
         t::node("AudioSpectrogram", "spectrum", {"decode"}) + t::node("Mfcc", "audio/Mfcc", {"spectrum", "decode:1"}) +
         t::constant("shape", {2}, 3, std::string("\xff\xff\xff\xff\x06\x00\x00\x00", 8)) +
         t::node("Reshape", "flat", {"audio/Mfcc", "shape"}, floats + t::type("Tshape", 3)) +
         t::constant("w", {6, 2}, 1, encode::raw({1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2})) +
         t::node("MatMul", "product", {"flat", "w"}, floats) + t::node("Relu", "scores", {"product"}, floats);
}

class CutTensorFlow : public ::testing::Test {
 protected:
  Folder folder_;
  std::filesystem::path path_ = folder_.write("audio.pb", audio_graph());
};

TEST_F(CutTensorFlow, NamesUnsupportedOpsAndTheCutThatAvoidsThem) {
  EXPECT_THAT(thrown_message([&] { load_model(path_); }),
              HasSubstr("OpenVINO does not support these operations: AudioSpectrogram, DecodeWav, Mfcc. Cut the model "
                        "after them: set \"inputs: [audio/Mfcc]\" and \"input_shapes: {audio/Mfcc: [...]}\" under "
                        "\"model:\""));
}

TEST_F(CutTensorFlow, RunsTheOpsAfterTheCutWithAGivenShape) {
  for (const std::string name : {"audio/Mfcc", "audio/Mfcc:0"}) {
    const Model model = load_model(path_, {.inputs = {name}, .input_shapes = {{"audio/Mfcc", {-1, 3, 2}}}});
    EXPECT_THAT(describe(model_inputs(model)), ElementsAre("audio/Mfcc:0 f32 [?,3,2]"));
    EXPECT_THAT(encode::run_filled(model, 1), ElementsAre(6, 12));
  }
}

TEST_F(CutTensorFlow, AsksForAnUnknownShape) {
  EXPECT_THAT(thrown_message([&] { load_model(path_, {.inputs = {"audio/Mfcc"}}); }),
              HasSubstr("set it with model.input_shapes: {audio/Mfcc: [...]}"));
}

TEST_F(CutTensorFlow, SuggestsSimilarNamesAndNamesMissingInputs) {
  EXPECT_THAT(thrown_message([&] { load_model(path_, {.inputs = {"Mfcc"}}); }), HasSubstr("similar names: audio/Mfcc"));
  EXPECT_THAT(thrown_message([&] { load_model(path_, {.inputs = {"audio/Mfc"}}); }),
              HasSubstr("did you mean 'audio/Mfcc'"));
  EXPECT_THAT(thrown_message([&] { load_model(path_, {.inputs = {"shape"}, .outputs = {"scores"}}); }),
              HasSubstr("'scores' also depends on the input 'wav'"));
}

TEST_F(CutTensorFlow, InfersTheShapeFromTheOpsBeforeTheCut) {
  namespace t = encode::tf;
  const std::string floats = t::type("T", 1);
  const auto path = folder_.write(
      "plain.pb", t::node("Placeholder", "x", {},
                          t::type("dtype", 1) + t::attribute("shape", encode::block(7, t::shape({-1, 6})))) +
                      t::constant("w", {6, 2}, 1, encode::raw({1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2})) +
                      t::node("MatMul", "product", {"x", "w"}, floats) +
                      t::node("Relu", "scores", {"product"}, floats));
  const Model model = load_model(path, {.inputs = {"product"}});
  EXPECT_THAT(describe(model_inputs(model)), ElementsAre("product:0 f32 [?,2]"));
  EXPECT_THAT(describe(model_outputs(load_model(path, {.outputs = {"product"}}))), ElementsAre("product:0 f32 [?,2]"));
}

// A graph with an input pipeline that reads four numbers and an id from each record.
class Pipeline : public CutTensorFlow {
 protected:
  static std::string graph() {
    namespace t = encode::tf;
    const std::string types =
        t::attribute("output_types", encode::block(1, encode::number(6, 3) + encode::number(6, 3)));
    const std::string shapes = t::attribute(
        "output_shapes", encode::block(1, encode::block(7, t::shape({-1, 4})) + encode::block(7, t::shape({-1}))));
    return t::node("Placeholder", "input_file", {}, t::type("dtype", 7)) +
           t::node("Placeholder", "batch_size", {}, t::type("dtype", 9)) +
           t::node("TFRecordDatasetV2", "records", {"input_file"}) +
           t::node("BatchDatasetV2", "batches", {"records", "batch_size"}) +
           t::node("IteratorV2", "Iterator", {}, types + shapes) +
           t::node("MakeIterator", "MakeIterator", {"batches", "Iterator"}) +
           t::node("IteratorToStringHandle", "IteratorToStringHandle", {"Iterator"}) +
           t::node("IteratorGetNext", "IteratorGetNext", {"Iterator"}, types + shapes) +
           t::node("Cast", "scores", {"IteratorGetNext"}, t::type("SrcT", 3) + t::type("DstT", 1));
  }
  std::filesystem::path path_ = folder_.write("pipeline.pb", graph());
};

TEST_F(Pipeline, IsRemovedWithItsInputsAndItsOutputsAreForwarded) {
  const Model model =
      load_model(path_, {.inputs = {"input_file", "batch_size"}, .outputs = {"IteratorGetNext:1", "scores"}});
  EXPECT_THAT(describe(model_inputs(model)), ElementsAre("IteratorGetNext:0 i32 [?,4]", "IteratorGetNext:1 i32 [?]"));
  EXPECT_THAT(describe(model_outputs(model)), ElementsAre("IteratorGetNext:1 i32 [?]", "scores:0 f32 [?,4]"));
}

TEST_F(Pipeline, IsRemovedWithoutNamedInputsAndOutputs) {
  const Model model = load_model(path_);
  EXPECT_THAT(describe(model_inputs(model)), ElementsAre("IteratorGetNext:0 i32 [?,4]"));
  EXPECT_THAT(describe(model_outputs(model)), ElementsAre("scores:0 f32 [?,4]"));
}

TEST_F(Pipeline, DoesNotChangeACutAfterIt) {
  const Model model = load_model(
      path_, {.inputs = {"IteratorGetNext:1", "IteratorGetNext"}, .outputs = {"IteratorGetNext:1", "scores"}});
  EXPECT_THAT(describe(model_inputs(model)), ElementsAre("IteratorGetNext:1 i32 [?]", "IteratorGetNext:0 i32 [?,4]"));
}

TEST_F(Pipeline, OfTheSourceIsIgnoredForASavedModel) {
  const LoadOptions options{.inputs = {"input_file", "batch_size"}, .outputs = {"IteratorGetNext:1", "scores"}};
  save_model(load_model(path_, options), folder_ / "saved.xml");
  const Model saved = load_model(folder_ / "saved.xml", options);
  EXPECT_THAT(describe(model_inputs(saved)), ElementsAre("IteratorGetNext:0 i32 [?,4]", "IteratorGetNext:1 i32 [?]"));
}

TEST_F(Pipeline, DoesNotHideAnUnknownInput) {
  EXPECT_THAT(thrown_message([&] { load_model(path_, {.inputs = {"input_fil"}, .outputs = {"scores"}}); }),
              HasSubstr("model.inputs: the graph has no tensor 'input_fil' (did you mean 'input_file'?)"));
}

}  // namespace
}  // namespace lpot
