#include "python/src/squad.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <span>

#include "lpot/core/error.h"
#include "lpot/data/text/bert_input.h"
#include "lpot/data/text/squad_answer.h"
#include "lpot/data/tfrecord_writer.h"
#include "lpot/metrics/squad_score.h"

namespace lpot::python {
namespace {

struct Windows {
  SquadWindows windows;
  std::size_t max_seq_length;
  std::shared_ptr<const Vocabulary> vocabulary;

  // The model input of one window, without padding, and the byte positions of its tokens in the paragraph.
  py::dict feature(std::size_t number) const {
    const Window& window = windows.window(number);
    const std::vector<Token>& context = windows.context_tokens(window);
    const std::span<const Token> seen(context.data() + window.first, window.count);
    const BertInput input = join(*vocabulary, windows.question_tokens(window), seen, true);
    std::vector<std::string> pieces;
    for (const std::int64_t id : input.ids) pieces.push_back(vocabulary->piece(id));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> bytes;
    std::vector<bool> most_context;
    for (std::size_t token = 0; token < window.count; ++token) {
      bytes.emplace_back(seen[token].begin, seen[token].end);
      most_context.push_back(windows.has_most_context(number, token));
    }
    py::dict answer;
    answer["question"] = window.question;
    answer["input_ids"] = input.ids;
    answer["tokens"] = pieces;
    answer["before"] = window.before;
    answer["bytes"] = bytes;
    answer["most_context"] = most_context;
    return answer;
  }
};

Windows build_windows(const std::string& label_file, const std::string& vocab_file, bool do_lower_case,
                      const WindowOptions& options) {
  const auto vocabulary = std::make_shared<const Vocabulary>("squad", vocab_file);
  const WordPiece tokenizer(vocabulary, {.lower_case = do_lower_case});
  return {SquadWindows(read_squad("squad", label_file), tokenizer, options), options.max_seq_length, vocabulary};
}

py::list question_tuples(const Windows& self) {
  py::list all;
  const Squad& squad = self.windows.squad();
  for (const SquadQuestion& question : squad.questions)
    all.append(
        py::make_tuple(question.id, question.text, squad.paragraphs[question.paragraph].context, question.answers));
  return all;
}

void bind_windows(py::module_& module) {
  py::class_<Windows>(module, "SquadWindows")
      .def(
          py::init([](const std::string& label_file, const std::string& vocab_file, bool do_lower_case,
                      std::size_t max_seq_length, std::size_t doc_stride, std::size_t max_query_length) {
            const py::gil_scoped_release released;
            return build_windows(label_file, vocab_file, do_lower_case, {max_seq_length, doc_stride, max_query_length});
          }),
          py::arg("label_file"), py::arg("vocab_file"), py::arg("do_lower_case") = true,
          py::arg("max_seq_length") = 384, py::arg("doc_stride") = 128, py::arg("max_query_length") = 64)
      .def("__len__", [](const Windows& self) { return self.windows.size(); })
      .def_property_readonly_static("first_id", [](const py::object&) { return SquadWindows::kFirstId; })
      .def_readonly("max_seq_length", &Windows::max_seq_length)
      .def("question_id", [](const Windows& self,
                             std::size_t window) { return self.windows.question(self.windows.window(window)).id; })
      .def("feature", &Windows::feature)
      .def("questions", &question_tuples)
      .def(
          "answer",
          [](const Windows& self, std::size_t window, const std::vector<float>& start, const std::vector<float>& end,
             std::size_t n_best_size, std::size_t max_answer_length) {
            const SquadAnswer answer = best_answer(self.windows, window, start, end, {n_best_size, max_answer_length});
            return std::make_pair(answer.text, answer.score);
          },
          py::arg("window"), py::arg("start"), py::arg("end"), py::arg("n_best_size") = 20,
          py::arg("max_answer_length") = 30);
}

}  // namespace

void bind_squad(py::module_& module) {
  bind_windows(module);
  py::class_<TFRecordWriter>(module, "RecordWriter")
      .def(py::init<std::filesystem::path>())
      .def("add", [](TFRecordWriter& self,
                     const std::map<std::string, FeatureValues>& features) { self.add(encode_example(features)); })
      .def("finish", &TFRecordWriter::finish);
  py::class_<SquadScore>(module, "SquadScore")
      .def(py::init<>())
      .def("count", [](SquadScore& self, const std::string& given,
                       const std::vector<std::string>& expected) { self.count(given, expected); })
      .def("count_unanswered", &SquadScore::count_unanswered)
      .def("f1", &SquadScore::f1)
      .def("exact_match", &SquadScore::exact_match);
}

}  // namespace lpot::python
