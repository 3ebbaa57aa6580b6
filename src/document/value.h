#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::document {

// Where something stands in its file; both count from 1, columns in bytes.
struct Position {
  std::int32_t line = 1;
  std::int32_t column = 1;
  auto operator<=>(const Position&) const = default;
};

// "file:line:column".
std::string place(std::string_view file, Position position);

enum class Kind : std::uint8_t { null, boolean, number, string, list, map };

// "a list", "a number": for messages.
const char* name_of(Kind kind);

struct Member;

// One node of a document that was read from YAML or JSON. Both readers (document.h) give the same
// values, so whoever decodes is written once. Read through Cursor (cursor.h); copied rarely.
struct Value {
  Kind kind = Kind::null;
  bool truth = false;           // boolean
  bool quoted = false;          // string: stood in quotes
  Position position;            // of the first character
  std::string text;             // string: its content; number, boolean: as written
  std::vector<Value> items;     // list
  std::vector<Member> members;  // map, in the order of the file; keys are unique

  // The member of that name; null when there is none or this is no map.
  const Value* find(std::string_view key) const;
};

struct Member {
  std::string key;
  Position position;  // of the key
  Value value;
};

// Same kinds, texts and structure, wherever they stand.
bool same_content(const Value& left, const Value& right);

}  // namespace berth::document
