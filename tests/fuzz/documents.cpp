// YAML and JSON, read strictly. Both readers give the same values.
#include <set>

#include "document/readers.h"
#include "fuzz/fuzz.h"

namespace berth::fuzz {
namespace {

using document::Value;

void expect_sound(const Value& value, int lines, int depth) {
  BERTH_CHECK(depth <= document::kDepthMax && is_utf8(value.text));
  BERTH_CHECK(value.position.line >= 1 && value.position.line <= lines);
  BERTH_CHECK(value.position.column >= 1);
  for (const Value& item : value.items) expect_sound(item, lines, depth + 1);
  std::set<std::string_view> keys;
  for (const document::Member& member : value.members) {
    BERTH_CHECK(keys.insert(member.key).second);
    expect_sound(member.value, lines, depth + 1);
  }
}

void expect_error(const Error& error, std::string_view input) {
  expect_readable(error, input);
  BERTH_CHECK(error.where.starts_with("f:"));
}

// Of a text that is both. Not of what JSON's reader drops, and of escapes that YAML lacks; nor with
// a carriage return, after which yaml-cpp reads `"de00\n\""` as another text.
void compare(const std::string& text, const Value& json) {
  const auto yaml = document::parse_yaml(text, "f");
  if (!yaml || text.find('\r') != text.npos) return;
  if (text.find("anaged") != text.npos || text.find("\\u") != text.npos) return;
  BERTH_CHECK(document::same_content(json, *yaml));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(view_of(bytes, size));
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  const auto take = [&](Value document, const document::ListHead&) -> Status {
    expect_sound(document, lines, 1);
    return Done{};
  };
  const Status yaml = document::read_yaml(text, "f", take);
  if (!yaml) expect_error(yaml.error(), text);
  const Status items = document::read_json(text, "f", take);
  if (!items) expect_error(items.error(), text);
  const auto whole = document::parse_json(text, "f");
  if (!whole) expect_error(whole.error(), text);
  if (whole && whole->kind != document::Kind::null) compare(text, *whole);
  return 0;
}

}  // namespace berth::fuzz
