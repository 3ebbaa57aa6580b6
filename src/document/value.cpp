#include "document/value.h"

#include <algorithm>

#include "berth/base/enum_text.h"

namespace berth::document {

std::string place(std::string_view file, Position position) {
  return std::string(file) + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column);
}

const char* name_of(Kind kind) {
  return enum_text<Kind::map>(kind, "an unknown kind", "nothing", "a boolean", "a number",
                              "a string", "a list", "a map");
}

const Value* Value::find(std::string_view key) const {
  for (const Member& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

const Value* Value::at(std::initializer_list<std::string_view> path) const {
  const Value* value = this;
  for (const std::string_view key : path) {
    if (value != nullptr) value = value->find(key);
  }
  return value;
}

std::string Value::text_at(std::initializer_list<std::string_view> path) const {
  const Value* const value = at(path);
  return value == nullptr ? std::string() : value->text;
}

bool same_content(const Value& left, const Value& right) {
  return left.kind == right.kind && left.truth == right.truth && left.text == right.text &&
         std::equal(left.items.begin(), left.items.end(), right.items.begin(), right.items.end(),
                    same_content) &&
         std::equal(left.members.begin(), left.members.end(), right.members.begin(),
                    right.members.end(), [](const Member& a, const Member& b) {
                      return a.key == b.key && same_content(a.value, b.value);
                    });
}

}  // namespace berth::document
