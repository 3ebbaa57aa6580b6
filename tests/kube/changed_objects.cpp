#include "kube/changed_objects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "document/readers.h"
#include "support/checkout.h"

namespace berth::kube::testing {

namespace {

using document::Kind;
using document::Member;
using document::Value;

// Instead of a part, after "left out" and "doubled".
constexpr std::array<std::string_view, 20> kInstead{
    "null", "\"\"",    "\"text\"",  "\"a b/c\"",  "7",
    "0",    "-1",      "1.5",       "2147483648", "99999999999999999999",
    "true", "false",   "{}",        "[]",         "[null]",
    "[{}]", "[\"a\"]", "{\"a\":1}", "{\"a\":{}}", "\"1970-01-01T00:00:00Z\""};

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

void add_parts(const Value& of, Path& path, std::vector<Path>& all) {
  const auto add = [&](std::size_t at, const Value& value) {
    path.push_back(at);
    all.push_back(path);
    add_parts(value, path, all);
    path.pop_back();
  };
  for (std::size_t i = 0; i < of.items.size(); ++i) add(i, of.items[i]);
  for (std::size_t i = 0; i < of.members.size(); ++i) add(i, of.members[i].value);
}

Value& child_at(Value& of, std::size_t at) {
  return of.kind == Kind::list ? of.items[at] : of.members[at].value;
}

void leave_out(Value& from, std::size_t at) {
  const auto place = static_cast<std::ptrdiff_t>(at);
  if (from.kind == Kind::list) {
    from.items.erase(from.items.begin() + place);
  } else {
    from.members.erase(from.members.begin() + place);
  }
}

void double_part(Value& in, std::size_t at) {
  if (in.kind == Kind::list) return in.items.push_back(in.items[at]);
  Member twin = in.members[at];
  twin.key += "2";
  in.members.push_back(std::move(twin));
}

}  // namespace

std::string json_of(const Value& value) {
  std::string out;
  switch (value.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.truth ? "true" : "false";
    case Kind::number:
      return value.text;
    case Kind::string:
      return in_quotes(value.text);
    case Kind::list:
      for (const Value& item : value.items) out += (out.empty() ? "" : ",") + json_of(item);
      return "[" + out + "]";
    case Kind::map:
      for (const Member& member : value.members) {
        out += (out.empty() ? "" : ",\n") + in_quotes(member.key) + ":" + json_of(member.value);
      }
      return "{" + out + "}";
  }
  return out;
}

std::vector<Path> parts_of(const Value& object) {
  std::vector<Path> all;
  Path path;
  add_parts(object, path, all);
  return all;
}

std::size_t change_count() { return kInstead.size() + 2; }

std::string_view name_of_change(std::size_t change) {
  if (change < 2) return change == 0 ? "left out" : "doubled";
  return kInstead[change - 2];
}

Value changed(const Value& object, const Path& part, std::size_t change) {
  Value copy = object;
  Value* parent = &copy;
  for (std::size_t i = 0; i + 1 < part.size(); ++i) parent = &child_at(*parent, part[i]);
  if (change == 0) {
    leave_out(*parent, part.back());
  } else if (change == 1) {
    double_part(*parent, part.back());
  } else {
    Value raw;
    raw.kind = Kind::number;
    raw.text = kInstead[change - 2];
    child_at(*parent, part.back()) = std::move(raw);
  }
  return copy;
}

std::string text_of(const Value& object, const Path& part) {
  std::string text;
  const Value* at = &object;
  for (const std::size_t place : part) {
    const bool is_list = at->kind == Kind::list;
    text += is_list ? "[" + std::to_string(place) + "]" : "." + at->members[place].key;
    at = is_list ? &at->items[place] : &at->members[place].value;
  }
  return text;
}

std::vector<Value> objects_in(const std::string& file) {
  std::ifstream stream(support::source_file(file));
  EXPECT_TRUE(stream.is_open()) << file;
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  // The steps of fixtures/owners.
  const std::string step = "\n# then";
  for (std::size_t at = text.find(step); at != text.npos; at = text.find(step, at + 8)) {
    text.insert(at, "\n---");
  }
  std::vector<Value> objects;
  const auto take = [&](Value object, const document::ListHead&) -> Status {
    objects.push_back(std::move(object));
    return Done{};
  };
  const Status read = file.ends_with(".json") ? document::read_json(text, file, take)
                                              : document::read_yaml(text, file, take);
  EXPECT_TRUE(read) << read.error().to_string();
  EXPECT_FALSE(objects.empty()) << file;
  return objects;
}

std::vector<std::string> fixture_files() {
  std::vector<std::string> files;
  for (const std::string folder : {"tests/e2e/fixtures", "tests/e2e/fixtures/owners"}) {
    for (const auto& entry : std::filesystem::directory_iterator(support::source_file(folder))) {
      const std::filesystem::path name = entry.path().filename();
      if (name.extension() == ".yaml") files.push_back(folder + "/" + name.string());
    }
  }
  std::sort(files.begin(), files.end());
  EXPECT_GT(files.size(), 15U);
  return files;
}

}  // namespace berth::kube::testing
