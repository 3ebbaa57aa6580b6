#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "berth/base/printable.h"
#include "document/lexical.h"
#include "document/readers.h"

// yaml-cpp is too lenient for a configuration. It accepts equal keys, a quote that never ends, any
// tag, and any depth an alias can make. This reader takes its events, builds the tree itself, and
// refuses all of these. It first cuts a file at its `---` lines, because yaml-cpp drops a whole
// stream for one bad document.

namespace berth::document {

namespace {

constexpr std::size_t kAliasedValuesMax = 100'000;

// Carries an Error out of yaml-cpp's callbacks. It never leaves this file.
struct YamlError {
  Error error;
};

struct Extent {
  std::size_t values = 1;
  int depth = 1;
};

Extent extent_of(const Value& value) {
  Extent extent;
  const auto include = [&extent](const Value& child) {
    const Extent inner = extent_of(child);
    extent.values += inner.values;
    extent.depth = std::max(extent.depth, inner.depth + 1);
  };
  for (const Value& item : value.items) include(item);
  for (const Member& member : value.members) include(member.value);
  return extent;
}

// True if the next quoted scalar at or after `at` (after anchor and tag) has an end.
bool is_terminated(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    at = std::min(text.find_first_of(" \t\r\n", at), text.size());
    at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
  }
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return true;  // block scalar
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || at + 1 >= text.size() || text[at + 1] != quote) return true;
      ++at;  // '' stands for '
    }
  }
  return false;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, std::string_view file, std::int32_t lines_before)
      : text_(text), file_(file), lines_before_(lines_before) {}

  Value take() { return std::move(root_); }
  const YAML::Mark& start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Value value;
    value.position = position(mark);
    add(std::move(value), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) refuse(mark, "an alias inside its own value");
    const Extent extent = extent_of(found->second);
    aliased_ += extent.values;
    if (aliased_ > kAliasedValuesMax) {
      refuse(mark, "aliases for more than 100000 values, expected fewer");
    }
    require_depth(mark, static_cast<int>(open_.size()) + extent.depth);
    add(Value(found->second), YAML::NullAnchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Value value;
    value.position = position(mark);
    value.text = text;
    value.kind = Kind::string;
    // yaml-cpp makes single bytes of these.
    if (!is_utf8(text)) refuse(mark, "an escape \\N or \\_, expected the character itself");
    if (tag == "!") {
      value.quoted = true;
      if (!is_terminated(text_, static_cast<std::size_t>(mark.pos))) {
        refuse(mark, "a quote that never ends, expected a closing quote");
      }
    } else if (tag.empty() || tag == "?") {
      value.kind = kind_of_plain(text);
      is_plain_ = true;
    } else if (tag != "tag:yaml.org,2002:str") {
      refuse(mark, "the tag \"" + tag + "\", expected a plain or quoted value");
    }
    value.truth = value.kind == Kind::boolean && (text[0] == 't' || text[0] == 'T');
    add(std::move(value), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Kind::map);
  }
  void OnMapEnd() override {
    if (const Member* twice = find_duplicate(open_.back().value.members)) {
      throw YamlError{duplicate_key(file_, *twice)};
    }
    close();
  }

 private:
  struct Open {
    Value value;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool expects_value = false;  // of a map: its last member has a key and no value yet
  };

  bool expects_key() const {
    return !open_.empty() && open_.back().value.kind == Kind::map && !open_.back().expects_value;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Kind kind) {
    if (expects_key()) {
      refuse(mark, "a list or map as a key, or one that never ends, expected a name");
    }
    if (!tag.empty() && tag != "?" && tag != "!" && !tag.starts_with("tag:yaml.org,2002:")) {
      refuse(mark, "the tag \"" + tag + "\", expected none");
    }
    require_depth(mark, static_cast<int>(open_.size()) + 1);
    Open opened;
    opened.value.kind = kind;
    opened.value.position = position(mark);
    opened.anchor = anchor;
    open_.push_back(std::move(opened));
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    add(std::move(closed.value), closed.anchor);
  }

  // Puts a finished value where it belongs.
  void add(Value value, YAML::anchor_t anchor) {
    const bool is_plain = std::exchange(is_plain_, false);
    if (anchor != YAML::NullAnchor) anchored_[anchor] = value;
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.value.kind == Kind::list) {
      parent.value.items.push_back(std::move(value));
    } else if (parent.expects_value) {
      // A missing value has no place; yaml-cpp would give the place of the next token.
      if (value.kind == Kind::null) value.position = parent.value.members.back().position;
      parent.value.members.back().value = std::move(value);
      parent.expects_value = false;
    } else {
      add_key(parent, std::move(value), is_plain);
    }
  }

  void add_key(Open& parent, Value key, bool is_plain) {
    const std::string where = place(file_, key.position);
    if (key.kind == Kind::null || key.kind == Kind::list || key.kind == Kind::map) {
      throw YamlError{{std::string(name_of(key.kind)) + " as a key, expected a name", where}};
    }
    if (is_plain && key.text == "<<") {
      throw YamlError{{"the merge key \"<<\", expected the keys themselves", where}};
    }
    parent.value.members.push_back({std::move(key.text), key.position, {}});
    parent.expects_value = true;
  }

  void require_depth(const YAML::Mark& mark, int depth) const {
    if (depth > kDepthMax) refuse(mark, "nesting deeper than 100 levels, expected less");
  }

  Position position(const YAML::Mark& mark) const {
    return {lines_before_ + mark.line + 1, mark.column + 1};
  }

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string message) const {
    throw YamlError{{std::move(message), place(file_, position(mark))}};
  }

  std::string_view text_;
  std::string_view file_;
  std::int32_t lines_before_;
  YAML::Mark start_;
  bool is_plain_ = false;  // of the scalar being added
  std::size_t aliased_ = 0;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Value> anchored_;
  Value root_;
};

// Reads the text between two `---` lines: one document, unless `...` ends one early.
Status read_part(std::string_view part, std::string_view file, std::int32_t lines_before,
                 const DocumentSink& sink) {
  const auto wrong = [&](const YAML::Mark& mark, const std::string& what) {
    const Position at{lines_before + std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
    // yaml-cpp's text may end within a character.
    return Error{"not valid YAML: " + printable(what), place(file, at)};
  };
  try {
    std::istringstream stream{std::string(part)};
    YAML::Parser parser(stream);
    int last_start = -1;
    while (parser) {
      TreeBuilder builder(part, file, lines_before);
      if (!parser.HandleNextDocument(builder)) break;
      // At a token that begins no document, the parser finds an empty one again and again.
      const bool is_stuck = std::exchange(last_start, builder.start().pos) == builder.start().pos;
      if (is_stuck) return wrong(builder.start(), "expected the next document or the end");
      Value document = builder.take();
      if (document.kind == Kind::null) continue;
      if (const Status status = sink(std::move(document), {}); !status) return status.error();
    }
  } catch (const YamlError& refusal) {
    return refusal.error;
  } catch (const YAML::Exception& exception) {
    return wrong(exception.mark, exception.msg);
  } catch (const std::exception& exception) {
    return wrong(YAML::Mark(), exception.what());
  }
  return Done{};
}

bool is_separator(std::string_view line) {
  return line.starts_with("---") && (line.size() == 3 || line[3] == ' ' || line[3] == '\t' ||
                                     line[3] == '\r' || line[3] == '\n');
}

}  // namespace

Status read_yaml(std::string_view text, std::string_view file, const DocumentSink& sink) {
  text = without_mark(text);
  if (auto error = check_text(text, file)) return *error;
  std::size_t start = 0;
  std::int32_t start_line = 0;
  std::int32_t line = 0;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view content = text.substr(at, end - at);
    if (content.starts_with("%YAML") || content.starts_with("%TAG")) {
      return Error{"a YAML directive, expected none", place(file, {line + 1, 1})};
    }
    if (is_separator(content) && at > start) {
      const auto status = read_part(text.substr(start, at - start), file, start_line, sink);
      if (!status) return status;
      start = at;
      start_line = line;
    }
    at = end;
  }
  return read_part(text.substr(start), file, start_line, sink);
}

Result<Value> parse_yaml(std::string_view text, std::string_view file) {
  Value only;
  const Status status = read_yaml(text, file, [&](Value document, const ListHead&) -> Status {
    if (only.kind != Kind::null) {
      return Error{"a second document, expected one", place(file, document.position)};
    }
    only = std::move(document);
    return Done{};
  });
  if (!status) return status.error();
  return only;
}

}  // namespace berth::document
