#include "lpot/config/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <unordered_map>

namespace lpot::yaml {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxNodes = 100'000;
constexpr std::size_t kMaxBytes = 16 << 20;

std::size_t count(const Node& node) {
  std::size_t total = 1;
  for (const Node& item : node.items) total += count(item);
  return total;
}

std::size_t depth(const Node& node) {
  std::size_t deepest = 0;
  for (const Node& item : node.items) deepest = std::max(deepest, depth(item));
  return deepest + 1;
}

// Builds the tree from yaml-cpp's events, so that size and depth are checked before any recursive function runs.
class Builder : public YAML::EventHandler {
 public:
  Builder(std::string name, bool with_lines) : name_(std::move(name)), with_lines_(with_lines) {
    root_.place = {name_, 0};
  }

  Node release() { return std::move(root_); }

  Place place(const YAML::Mark& mark) const { return {name_, with_lines_ ? mark.line + 1 : 0}; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      fail(place(mark), "", "a second document starts here ('---'); expected one document per file");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add({.place = place(mark)}, anchor); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    add({.kind = Node::Kind::Scalar, .text = value, .quoted = tag == "!", .place = place(mark)}, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(place(mark), "", "an alias (*) refers to a value that contains the alias");
    Node copy = found->second;
    copy.place = place(mark);
    nodes_ += count(copy) - 1;
    check_depth(mark, depth(copy) - 1);
    add(std::move(copy), 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, Node::Kind::List, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, Node::Kind::Map, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node node = {};
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::string key = {};
    Place key_place = {};
    // The keys so far; searching the node for each key would be quadratic.
    std::unordered_map<std::string, Place> keys = {};
  };

  void check_depth(const YAML::Mark& mark, std::size_t further) const {
    if (open_.size() + further >= kMaxDepth)
      fail(place(mark), "", fmt::format("values are nested deeper than {} levels", kMaxDepth));
  }

  void open(const YAML::Mark& mark, Node::Kind kind, YAML::anchor_t anchor) {
    check_depth(mark, 1);
    open_.push_back({.node = {.kind = kind, .place = place(mark)}, .anchor = anchor});
  }

  void close() {
    Frame frame = std::move(open_.back());
    open_.pop_back();
    if (frame.node.is_map()) expand_merge_keys(frame.node);
    add(std::move(frame.node), frame.anchor);
  }

  void add(Node node, YAML::anchor_t anchor) {
    if (++nodes_ > kMaxNodes)
      fail(node.place, "", fmt::format("more than {} values after expanding aliases", kMaxNodes));
    if (anchor) {
      nodes_ += count(node);
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (open_.back().node.is_list()) {
      open_.back().node.items.push_back(std::move(node));
    } else {
      add_to_map(open_.back(), std::move(node));
    }
  }

  void add_to_map(Frame& frame, Node node) {
    if (!frame.has_key) {
      if (!node.is_scalar()) fail(node.place, "", "expected a key, got " + describe_node(node));
      frame.has_key = true;
      frame.key = node.text;
      frame.key_place = node.place;
      return;
    }
    const auto [first, is_new] = frame.keys.try_emplace(frame.key, frame.key_place);
    if (!is_new && frame.key != "<<")
      fail(frame.key_place, open_path(), "duplicate key; first defined at " + to_string(first->second));
    node.key = std::move(frame.key);
    node.place = std::move(frame.key_place);
    frame.node.items.push_back(std::move(node));
    frame.has_key = false;
  }

  // The dotted path of the key that is being read.
  std::string open_path() const {
    std::string path;
    for (const Frame& frame : open_)
      if (frame.has_key) path += (path.empty() ? "" : ".") + frame.key;
    return path;
  }

  // `<<: *other` adds the entries of another map whose keys this map does not have.
  void expand_merge_keys(Node& map) {
    std::vector<Node> merged;
    std::erase_if(map.items, [&](const Node& item) {
      if (item.key == "<<") merged.push_back(item);
      return item.key == "<<";
    });
    for (const Node& source : merged) {
      const std::vector<Node> maps = source.is_list() ? source.items : std::vector<Node>{source};
      for (const Node& other : maps) {
        if (!other.is_map()) fail(source.place, "<<", "expected a map or a list of maps, got " + describe_node(other));
        for (const Node& item : other.items)
          if (!find(map, item.key)) map.items.push_back(item);
      }
    }
  }

  std::string name_;
  bool with_lines_;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  std::vector<Frame> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  Node root_;
};

bool indented_by_tab(const std::string& text, int line) {
  std::istringstream lines(text);
  std::string current;
  for (int i = 0; i <= line; ++i) std::getline(lines, current);
  const std::size_t first = current.find_first_not_of(" \t");
  return current.substr(0, first).find('\t') != std::string::npos;
}

Node parse(const std::string& text, const std::string& name, bool with_lines) {
  Builder builder(name, with_lines);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    if (indented_by_tab(text, error.mark.line))
      fail(builder.place(error.mark), "",
           "a tab is used for indentation; expected spaces, because YAML does not allow tabs there");
    fail(builder.place(error.mark), "",
         fmt::format("invalid YAML ({}). Check the indentation, quotes, brackets and the space after each ':' on this "
                     "line and the line above.",
                     error.msg));
  }
  return builder.release();
}

}  // namespace

Node parse_yaml(const std::string& text, const std::string& name) {
  const bool is_text = std::none_of(
      text.begin(), text.end(), [](unsigned char letter) { return letter < ' ' && !std::strchr("\t\n\r\f", letter); });
  if (!is_text || text.find('\0') != std::string::npos) fail({name, 0}, "", "not a text file; expected YAML in UTF-8");
  return parse(text, name, true);
}

Node parse_value(const std::string& text, const std::string& name) { return parse(text, name, false); }

std::string read_text(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) fail({file, 0}, "", "no such file");
  if (std::filesystem::is_directory(file, ignored)) fail({file, 0}, "", "this is a folder; expected a YAML file");
  std::ifstream stream(file, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  if (!stream) fail({file, 0}, "", fmt::format("cannot read the file: {}", std::strerror(errno)));
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMaxBytes) fail({file, 0}, "", "the file is larger than 16 MiB; expected a configuration file");
  return text;
}

}  // namespace lpot::yaml
