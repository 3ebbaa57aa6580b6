#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <simdjson.h>

#include "berth/base/text.h"
#include "document/lexical.h"
#include "document/readers.h"

// simdjson's on-demand reader walks the text once and validates what it touches. This reader
// touches everything except managedFields. It walks a list twice: once for the kind, which kubectl
// writes after the items, and once for the items.

namespace berth::document {

namespace {

namespace ondemand = simdjson::ondemand;

static_assert(kJsonPadding >= simdjson::SIMDJSON_PADDING);

constexpr std::string_view kBlanks = " \t\r\n";

const char* in_words(simdjson::error_code code) {
  switch (code) {
    case simdjson::STRING_ERROR:
      return "a bad escape in a string";
    case simdjson::UNCLOSED_STRING:
      return "a string that never ends, expected a closing quote";
    case simdjson::UNESCAPED_CHARS:
      return "a line break or control character in a string";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return "a list or object that never ends";
    case simdjson::DEPTH_ERROR:
      return "nesting deeper than 100 levels, expected less";
    case simdjson::CAPACITY:
      return "more than 4 GB in one document, expected less";
    case simdjson::MEMALLOC:
      return "more than fits into memory";
    default:
      return "expected a value, a comma, a colon or a closing bracket";
  }
}

// The start of the first string that never ends or holds a raw control character.
std::size_t find_bad_string(std::string_view text) {
  std::size_t start = 0;
  bool inside = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (inside && static_cast<unsigned char>(c) < 0x20) return start;
    if (inside && c == '\\') {
      ++at;
    } else if (c == '"') {
      if (!inside) start = at;
      inside = !inside;
    }
  }
  return inside ? start : 0;
}

class JsonReader {
 public:
  JsonReader(std::string text, std::string_view file)
      : text_(std::move(text)), file_(file), positions_(std::string_view()) {
    if (without_mark(text_).size() != text_.size()) text_.erase(0, 3);
    text_.reserve(text_.size() + kJsonPadding);
    positions_ = PositionFinder(text_);
  }

  // `takes_lists_apart`: give the sink the items of a list instead of the whole.
  Status read(bool takes_lists_apart, const DocumentSink& sink) {
    if (trimmed(text_).empty()) return Done{};
    if (auto error = check_text(text_, file_)) return *error;
    ondemand::document document;
    const simdjson::padded_string_view padded(text_.data(), text_.size(), text_.capacity());
    if (const auto code = parser_.iterate(padded).get(document)) {
      return refused(code, find_bad_string(text_));
    }
    document_ = &document;
    const char first = trimmed(text_).front();
    if (first != '{' && first != '[') {
      return wrong("expected an object or a list", text_.find_first_not_of(kBlanks));
    }
    ListHead head;
    if (takes_lists_apart && first == '{' && !read_head(document, head)) return *error_;
    if (head.kind.ends_with("List") ? !read_items(document, head, sink)
                                    : !read_whole(document, sink)) {
      return *error_;
    }
    if (const char* rest = nullptr; !document.current_location().get(rest)) {
      return wrong("text after the end of the document, expected none", offset_of(rest));
    }
    return Done{};
  }

 private:
  bool read_whole(ondemand::document& document, const DocumentSink& sink) {
    ondemand::value root;
    if (const auto code = document.get_value().get(root)) return fail(code);
    Value value;
    return build(root, 1, value) && deliver(std::move(value), {}, sink);
  }

  // `kind` and `apiVersion` of the outermost object; leaves the document at its beginning.
  bool read_head(ondemand::document& document, ListHead& head) {
    ondemand::object object;
    if (const auto code = document.get_object().get(object)) return fail(code);
    for (auto found : object) {
      ondemand::field field;
      if (const auto code = std::move(found).get(field)) return fail(code);
      std::string* wanted = field.key() == "kind"         ? &head.kind
                            : field.key() == "apiVersion" ? &head.api_version
                                                          : nullptr;
      std::string_view text;
      if (wanted != nullptr && !field.value().get_string().get(text)) *wanted = text;
    }
    document.rewind();
    return true;
  }

  bool read_items(ondemand::document& document, const ListHead& head, const DocumentSink& sink) {
    ondemand::object object;
    if (const auto code = document.get_object().get(object)) return fail(code);
    std::vector<Member> seen;
    for (auto found : object) {
      Member member;
      ondemand::value value;
      if (!take_field(std::move(found), member, value)) return false;
      if (member.key != "items") {
        if (!build(value, 2, member.value)) return false;
        member.value = Value();
      } else if (!read_array(value, head, sink)) {
        return false;
      }
      seen.push_back(std::move(member));
      if (const Member* twice = find_duplicate(seen)) return fail(duplicate_key(file_, *twice));
    }
    return true;
  }

  bool read_array(ondemand::value list, const ListHead& head, const DocumentSink& sink) {
    if (token(list) == "null") return true;  // an empty list of Go
    ondemand::array array;
    if (list.get_array().get(array) != simdjson::SUCCESS) {
      return fail(wrong("`items` is no list, expected a list", offset_of(token(list).data())));
    }
    for (auto found : array) {
      ondemand::value item;
      if (const auto code = std::move(found).get(item)) return fail(code);
      Value value;
      if (!build(item, 3, value) || !deliver(std::move(value), head, sink)) return false;
    }
    return true;
  }

  bool deliver(Value value, const ListHead& head, const DocumentSink& sink) {
    const Status status = sink(std::move(value), head);
    return status || fail(status.error());
  }

  bool build(ondemand::value from, int depth, Value& to) {
    if (depth > kDepthMax) return fail(simdjson::DEPTH_ERROR);
    const std::string_view raw = token(from);
    to.position = positions_.at(offset_of(raw.data()));
    switch (raw.empty() ? '\0' : raw.front()) {
      case '{':
        return build_map(from, depth, to);
      case '[':
        return build_list(from, depth, to);
      case '"': {
        std::string_view text;
        if (const auto code = from.get_string().get(text)) return fail(code);
        to.kind = Kind::string;
        to.quoted = true;
        to.text = text;
        return true;
      }
      default:
        return build_scalar(raw, to);
    }
  }

  bool build_scalar(std::string_view raw, Value& to) {
    if (raw == "null") return true;
    to.text = raw;
    to.truth = raw == "true";
    if (raw == "true" || raw == "false") {
      to.kind = Kind::boolean;
    } else if (is_json_number(raw)) {
      to.kind = Kind::number;
    } else {
      return fail(wrong("expected a value", offset_of(raw.data())));
    }
    return true;
  }

  bool build_list(ondemand::value from, int depth, Value& to) {
    ondemand::array array;
    if (const auto code = from.get_array().get(array)) return fail(code);
    to.kind = Kind::list;
    for (auto found : array) {
      ondemand::value item;
      if (const auto code = std::move(found).get(item)) return fail(code);
      if (!build(item, depth + 1, to.items.emplace_back())) return false;
    }
    return true;
  }

  bool build_map(ondemand::value from, int depth, Value& to) {
    ondemand::object object;
    if (const auto code = from.get_object().get(object)) return fail(code);
    to.kind = Kind::map;
    for (auto found : object) {
      Member member;
      ondemand::value value;
      if (!take_field(std::move(found), member, value)) return false;
      if (member.key == "managedFields") continue;  // half of a dump, and nothing reads it
      if (!build(value, depth + 1, member.value)) return false;
      to.members.push_back(std::move(member));
    }
    if (const Member* twice = find_duplicate(to.members)) {
      return fail(duplicate_key(file_, *twice));
    }
    return true;
  }

  bool take_field(simdjson::simdjson_result<ondemand::field> found, Member& member,
                  ondemand::value& value) {
    ondemand::field field;
    if (const auto code = std::move(found).get(field)) return fail(code);
    member.position = positions_.at(offset_of(field.key().raw()) - 1);
    std::string_view key;
    if (const auto code = field.unescaped_key().get(key)) return fail(code);
    member.key = key;
    value = field.value();
    return true;
  }

  static std::string_view token(ondemand::value& value) {
    const std::string_view raw = value.raw_json_token();
    return raw.substr(0, raw.find_last_not_of(kBlanks) + 1);
  }

  std::size_t offset_of(const char* at) const {
    return std::min(static_cast<std::size_t>(at - text_.data()), text_.size());
  }

  Error wrong(const char* what, std::size_t offset) const {
    return {std::string("not valid JSON: ") + what, place(file_, PositionFinder(text_).at(offset))};
  }

  Error refused(simdjson::error_code code, std::size_t offset) const {
    if (code == simdjson::DEPTH_ERROR) {
      return {in_words(code), place(file_, PositionFinder(text_).at(offset))};
    }
    return wrong(in_words(code), offset);
  }

  bool fail(Error error) {
    error_ = std::move(error);
    return false;
  }

  bool fail(simdjson::error_code code) {
    const char* at = nullptr;
    const bool is_known = !document_->current_location().get(at) && at != nullptr;
    return fail(refused(code, is_known ? offset_of(at) : text_.size()));
  }

  std::string text_;
  std::string_view file_;
  PositionFinder positions_;
  ondemand::parser parser_;
  ondemand::document* document_ = nullptr;
  std::optional<Error> error_;
};

}  // namespace

Status read_json(std::string text, std::string_view file, const DocumentSink& sink) {
  return JsonReader(std::move(text), file).read(true, sink);
}

Result<Value> parse_json(std::string text, std::string_view file) {
  Value whole;
  const Status status = JsonReader(std::move(text), file)
                            .read(false, [&whole](Value document, const ListHead&) -> Status {
                              whole = std::move(document);
                              return Done{};
                            });
  if (!status) return status.error();
  return whole;
}

}  // namespace berth::document
