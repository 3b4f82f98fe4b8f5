#include "stops/yaml_tree.hpp"

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>

#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/utf8.hpp"
#include "stops/limits.hpp"

namespace robot_council::stops {
namespace {

// Ends the parse from inside a handler.
class Refusal final : public std::exception {
 public:
  Refusal(std::size_t line, std::string why) : line_(line), why_(std::move(why)) {}
  [[nodiscard]] const char* what() const noexcept override { return why_.c_str(); }
  [[nodiscard]] std::size_t line() const { return line_; }

 private:
  std::size_t line_;
  std::string why_;
};

std::size_t line_of(const YAML::Mark& mark) {
  return mark.line < 0 ? 0 : static_cast<std::size_t>(mark.line) + 1;
}

// Builds the tree. An open map waits for a key, then for its value.
class Builder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { (void)mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add(node(YamlNode::Kind::null, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    (void)anchor;
    throw Refusal(line_of(mark), "an alias (*) is not allowed");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    YamlNode scalar = node(YamlNode::Kind::scalar, mark);
    scalar.text = value;
    scalar.quoted = tag == "!";
    if (!scalar.quoted && (value == "~" || value == "null" || value.empty())) {
      scalar.kind = YamlNode::Kind::null;
    }
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    (void)style;
    open(YamlNode::Kind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    (void)style;
    open(YamlNode::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

  [[nodiscard]] YamlNode take() { return std::move(root_); }

 private:
  struct Open {
    YamlNode node;
    bool has_key = false;
    std::string key;
  };

  static YamlNode node(YamlNode::Kind kind, const YAML::Mark& mark) {
    YamlNode made;
    made.kind = kind;
    made.line = line_of(mark);
    return made;
  }
  static void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      throw Refusal(line_of(mark), "an anchor (&) is not allowed");
    }
  }
  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Refusal(line_of(mark), "a tag (!) is not allowed");
    }
  }
  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (stack_.size() >= kMaxPolicyDepth) {
      throw Refusal(line_of(mark), "nested too deeply");
    }
    Open opened;
    opened.node = node(kind, mark);
    stack_.push_back(std::move(opened));
  }
  void close() {
    YamlNode done = std::move(stack_.back().node);
    stack_.pop_back();
    add(std::move(done));
  }
  void add(YamlNode value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& top = stack_.back();
    if (top.node.kind == YamlNode::Kind::sequence) {
      top.node.items.push_back(std::move(value));
      return;
    }
    if (top.has_key) {
      top.node.members.push_back({std::move(top.key), std::move(value)});
      top.has_key = false;
      return;
    }
    if (value.kind != YamlNode::Kind::scalar) {
      throw Refusal(value.line, "a key is no text");
    }
    if (top.node.member(value.text) != nullptr) {
      throw Refusal(value.line, quoted_text(value.text) + " is there twice");
    }
    top.key = std::move(value.text);
    top.has_key = true;
  }

  std::vector<Open> stack_;
  YamlNode root_;
};

base::Error invalid(std::size_t line, const std::string& why) {
  return {base::Errc::invalid, line == 0 ? why : "line " + std::to_string(line) + ": " + why};
}

bool has_control(std::string_view bytes) {
  constexpr unsigned char kBlank = 0x20;
  constexpr unsigned char kDelete = 0x7f;
  return std::any_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < kBlank && c != '\n' && c != '\r' && c != '\t') || byte == kDelete;
  });
}

}  // namespace

const YamlNode* YamlNode::member(std::string_view key) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [key](const YamlMember& item) { return item.key == key; });
  return found == members.end() ? nullptr : &found->value;
}

base::Error yaml_error(const YamlNode& node, const std::string& why) {
  return invalid(node.line, why);
}

std::string quoted_text(std::string_view text) {
  const std::string shown = base::without_controls(text, base::Keep::nothing);
  const std::string_view part = base::prefix_bytes(shown, kMaxQuotedBytes);
  return "\"" + std::string(part) + (part.size() < shown.size() ? "...\"" : "\"");
}

base::Result<YamlNode> read_yaml(std::string_view bytes, std::size_t max_bytes) try {
  if (bytes.size() > max_bytes) {
    return invalid(0, "it is over " + std::to_string(max_bytes) + " bytes");
  }
  if (!base::is_utf8(bytes) || has_control(bytes)) {
    return invalid(0, "it is no UTF-8 text");
  }
  std::istringstream stream{std::string(bytes)};
  YAML::Parser parser(stream);
  Builder builder;
  if (!parser.HandleNextDocument(builder)) {
    return invalid(0, "it is empty");
  }
  Builder second;
  if (parser.HandleNextDocument(second)) {
    return invalid(0, "a second document is not allowed");
  }
  return builder.take();
} catch (const Refusal& refusal) {
  return invalid(refusal.line(), refusal.what());
} catch (const YAML::Exception& failure) {
  return invalid(line_of(failure.mark), "not YAML: " + failure.msg);
} catch (const std::exception&) {
  return invalid(0, "not YAML");
}

}  // namespace robot_council::stops
