#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lpot/core/error.h"
#include "lpot/tune/auto_config/found_data.h"
#include "lpot/tune/auto_config/preprocessing_search.h"
#include "lpot/tune/setup.h"

namespace lpot {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTextSamples = 64;       // on which the fp32 model runs first
constexpr std::int64_t kMaxTokens = 128;       // of a text, if the model accepts any length
constexpr std::size_t kTextsForLength = 1000;  // whose tokens are counted
constexpr std::int64_t kTokenMultiple = 8;     // lengths are multiples of it

// Whether all inputs are rows of integers, as token ids, attention mask and segments are.
bool has_token_inputs(const std::vector<Port>& inputs) {
  return !inputs.empty() && inputs.size() <= 3 && std::all_of(inputs.begin(), inputs.end(), [](const Port& port) {
    return port.shape.size() == 2 && (port.element_type.starts_with('i') || port.element_type.starts_with('u'));
  });
}

fs::path find_vocabulary(const Model& model, const FolderContent& content, const fs::path& given) {
  std::vector<fs::path> places{content.root / "vocab.txt", model.source.parent_path() / "vocab.txt"};
  if (!given.empty()) places = {given};
  std::error_code ignored;
  for (const fs::path& place : places)
    if (fs::exists(place, ignored)) return fs::absolute(place).lexically_normal();
  std::vector<std::string> tried;
  for (const fs::path& place : places) tried.push_back(place.string());
  throw DataError("data", fmt::format("found no vocabulary of the model: {}; expected the vocab.txt of its tokenizer. "
                                      "Copy it there, or give it with --vocabulary FILE",
                                      fmt::join(tried, ", ")));
}

std::int64_t max_tokens(const std::vector<Port>& inputs) {
  return inputs[0].shape[1] > 0 ? inputs[0].shape[1] : kMaxTokens;
}

struct TextSource {
  const FolderContent& content;
  std::string vocabulary;
  std::int64_t tokens;
  bool has_one_length;  // all texts are padded to `tokens`
};

// Whether the first output may have a row for each token. Its length must not depend on the other texts of a batch,
// because the outputs of int8 and fp32 are compared value by value.
bool may_have_row_per_token(const Model& model) {
  const std::vector<Port> outputs = model_outputs(model);
  return !outputs.empty() && outputs[0].shape.size() > 1 && outputs[0].shape[1] < 0;
}

bool is_sentence_embedding(const FoundData& found) {
  return found.role.kind == OutputRoleKind::Embedding && found.outputs.shape.size() == 1;
}

// `pairs`: how sentence pairs are read; "": joined.
std::string dataset_of(const TextSource& source, const fs::path& file, bool lower_case, const std::string& pairs = "") {
  const bool has_task = source.content.kind == FolderKind::Sentences;
  return fmt::format("{}: {{{}: {}, model_name_or_path: {}, max_seq_length: {}, do_lower_case: {}{}{}}}",
                     has_task ? "GLUE" : "text", has_task ? "data_dir" : "root", yaml_text(file.string()),
                     yaml_text(source.vocabulary), source.tokens, lower_case,
                     source.has_one_length ? ", dynamic_length: false" : "",
                     (has_task ? ", task: " + source.content.task : "") + (pairs.empty() ? "" : ", pairs: " + pairs));
}

// The number of tokens of the longest of some texts that are spread over the data, at most source.tokens. With more
// padding than that, most rows of an output would be those of padding.
std::int64_t tokens_of_longest(const TextSource& source, const fs::path& file) {
  const auto dataset = make_dataset(parse_component(dataset_of(source, file, true), component_tables().datasets));
  const std::size_t texts = std::min(kTextsForLength, dataset->size());
  std::int64_t longest = 1;
  for (std::size_t i = 0; i < texts; ++i) {
    const Tensor ids = dataset->at(i * dataset->size() / texts).inputs.at(0);
    longest = std::max(longest, static_cast<std::int64_t>(ids.size()));
  }
  return std::min(source.tokens, (longest + kTokenMultiple - 1) / kTokenMultiple * kTokenMultiple);
}

void report_case(const PreprocessingChoice& choice, FoundData& found) {
  found.findings.push_back(fmt::format("tokens         the fp32 model on {} texts:", choice.fits[0].values.size()));
  for (const PreprocessingFit& fit : choice.fits)
    found.findings.push_back(fmt::format("                 {:<34} {}", fit.name, fit.describe()));
  if (!choice.has_fit)
    found.warnings.push_back(fmt::format("the predictions hardly depend on the texts ({}). Check the vocabulary",
                                         choice.fits[0].describe()));
}

}  // namespace

FoundData find_sentences(const Model& model, const FolderContent& content, const AutoConfigOptions& options,
                         const Observer& observer) {
  const std::vector<Port> inputs = model_inputs(model);
  if (!has_token_inputs(inputs)) {
    std::vector<std::string> ports;
    for (const Port& port : inputs) ports.push_back(port.describe());
    throw DataError("data", fmt::format("{}: {}, but the inputs of the model are {}; expected token ids like i64 [?,?]",
                                        content.root.string(), content.description, fmt::join(ports, ", ")));
  }
  TextSource source{content, find_vocabulary(model, content, options.vocabulary).string(), max_tokens(inputs),
                    may_have_row_per_token(model)};
  const bool has_task = content.kind == FolderKind::Sentences;
  const fs::path evaluation = has_task ? content.files.back() : content.root;
  if (source.has_one_length && inputs[0].shape[1] < 0) source.tokens = tokens_of_longest(source, evaluation);
  FoundData found;
  std::vector<PreprocessingCandidate> candidates;
  for (const bool lower_case : {true, false})
    candidates.push_back({lower_case ? "lower case" : "case kept", {dataset_of(source, evaluation, lower_case)}});
  SampleRunner runner(model, observer);
  found.outputs = runner.run(candidates[0].data, kTextSamples);
  bool lower_case = true;
  found.role = find_output_role(output_evidence(model), found.outputs);
  const bool separates_pairs = has_task && content.task == "sts-b" && is_sentence_embedding(found);
  if (found.role.kind == OutputRoleKind::Classes && found.outputs.has_classes()) {
    const auto choice = choose_preprocessing(
        candidates, {!found.outputs.labels.empty(), {0}},
        [&](const PreprocessingCandidate& candidate, std::size_t count) { return runner.run(candidate.data, count); });
    lower_case = choice.chosen == 0;
    found.outputs = choice.outputs;
    found.uses_labels = choice.uses_labels;
    report_case(choice, found);
    if (!found.outputs.labels.empty() && !choice.uses_labels)
      found.warnings.push_back(
          "the labels do not fit the model: its accuracy is that of chance. They are not used, and "
          "int8 is compared with fp32 instead. Check the task and the vocabulary");
  } else if (separates_pairs) {
    found.metric = "STS: spearman";
  } else if (has_task && content.task == "sts-b" && found.outputs.shape.empty()) {
    found.metric = fmt::format("GLUE: {}", content.task);  // a regression, whose labels are not integers
  }
  const std::string pairs = separates_pairs ? "separate" : "";
  found.evaluation = {dataset_of(source, evaluation, lower_case, pairs)};
  found.samples = make_dataset(parse_component(found.evaluation.dataset, component_tables().datasets))->size();
  if (content.files.size() > 1 && has_task)
    found.calibration = DataText{dataset_of(source, content.files.front(), lower_case, pairs)};
  found.findings.push_back(fmt::format("vocabulary     {}, {} {} tokens", source.vocabulary,
                                       source.has_one_length ? "padded to" : "at most", source.tokens));
  return found;
}

}  // namespace lpot
