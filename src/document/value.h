#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace berth::document {

// A place in a file. Lines and columns count from 1; columns count bytes.
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

// One node of a document from YAML or JSON. Both readers (readers.h) give the same values, so each
// decoder is written once. Decoders read through Cursor (cursor.h). Copies are rare.
struct Value {
  Kind kind = Kind::null;
  bool truth = false;           // boolean
  bool quoted = false;          // string: stood in quotes
  Position position;            // of the first character
  std::string text;             // string: its content; number, boolean: as written
  std::vector<Value> items;     // list
  std::vector<Member> members;  // map, in the order of the file; keys are unique

  // The member of that name; null if there is none or this is no map.
  const Value* find(std::string_view key) const;
  // The value at the end of a path of members; null if there is none.
  const Value* at(std::initializer_list<std::string_view> path) const;
  // Its text; empty if there is none.
  std::string text_at(std::initializer_list<std::string_view> path) const;
};

struct Member {
  std::string key;
  Position position;  // of the key
  Value value;
};

// True for equal kinds, texts and structure; positions do not count.
bool same_content(const Value& left, const Value& right);

}  // namespace berth::document
