#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "document/value.h"

// The two strict readers. What both refuse: bytes that are not UTF-8 text, duplicate keys, nesting
// deeper than kDepthMax. Every Error names "file:line:column". No exception leaves.

namespace berth::document {

inline constexpr int kDepthMax = 100;

// The list an object was an item of, when the reader took a list apart; else empty.
struct ListHead {
  std::string kind;  // "List", "PodList"
  std::string api_version;
};

// Takes one document or list item at a time; an Error ends the reading and is handed on.
using DocumentSink = std::function<Status(Value document, const ListHead& list)>;

// YAML 1.2 core scalars (`yes`, `on`, `y` are strings; quoted is always a string); no merge keys,
// no complex keys, no directives, no application tags; aliases may copy at most 100,000 values.
// Empty documents are left out. Each document is read by itself: an error is placed exactly.
Status read_yaml(std::string_view text, std::string_view file, const DocumentSink& sink);

// The only document of a file; a null Value when it has none.
Result<Value> parse_yaml(std::string_view text, std::string_view file);

// One JSON value. If it is an object whose `kind` ends in "List", its `items` are given to the
// sink one by one, and no tree of the whole is made: a dump of 100 MB needs little more than its
// text. `metadata.managedFields` is left out. Reserve kJsonPadding behind the text to spare a copy.
Status read_json(std::string text, std::string_view file, const DocumentSink& sink);
inline constexpr std::size_t kJsonPadding = 64;

// The whole as one Value; lists are not taken apart.
Result<Value> parse_json(std::string text, std::string_view file);

}  // namespace berth::document
