#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "document/value.h"

// The two strict readers. Both refuse bytes that are not UTF-8, duplicate keys, and nesting deeper
// than kDepthMax. Each Error names "file:line:column". No exception leaves.

namespace berth::document {

inline constexpr int kDepthMax = 100;

// The list that an object was an item of. Empty if the reader took no list apart.
struct ListHead {
  std::string kind;  // "List", "PodList"
  std::string api_version;
};

// Takes one document or list item at a time. An Error stops the reader, which returns it.
using DocumentSink = std::function<Status(Value document, const ListHead& list)>;

// YAML 1.2 with core scalars (`yes`, `on`, `y` are strings). Merge keys, complex keys, directives
// and application tags are refused; aliases may copy at most 100,000 values. Empty documents are
// left out. Documents are read one by one, so an error has its exact place.
Status read_yaml(std::string_view text, std::string_view file, const DocumentSink& sink);

// The only document of a file; a null Value if the file has none.
Result<Value> parse_yaml(std::string_view text, std::string_view file);

// Reads one JSON value. Of an object whose `kind` ends in "List", the sink gets the `items` one by
// one, so a dump of 100 MB needs little more memory than its text. `metadata.managedFields` is left
// out. The caller may reserve kJsonPadding behind the text to save a copy.
Status read_json(std::string text, std::string_view file, const DocumentSink& sink);
inline constexpr std::size_t kJsonPadding = 64;

// The whole text as one Value; a list is not taken apart.
Result<Value> parse_json(std::string text, std::string_view file);

}  // namespace berth::document
