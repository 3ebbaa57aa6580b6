#pragma once

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/result.h"
#include "document/lexical.h"

// simdjson's on-demand parser, made strict. Only wire.cpp uses it.

namespace berth::extender {

namespace json = simdjson::ondemand;

inline bool is_space(char letter) {
  return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
}

// "a string", "an object": the kind of value that begins so, for messages.
inline const char* kind_of(std::string_view token) {
  if (token.empty()) return "nothing";
  switch (token.front()) {
    case '"':
      return "a string";
    case '{':
      return "an object";
    case '[':
      return "a list";
    case 't':
    case 'f':
      return "a boolean";
    case 'n':
      return "null";
    default:
      break;
  }
  const bool is_digit = token.front() == '-' || (token.front() >= '0' && token.front() <= '9');
  return is_digit ? "a number" : "no JSON value";
}

// The scalar as written. For an object or a list, its bracket.
inline std::string_view token_of(json::value& value) {
  std::string_view token = value.raw_json_token();
  while (!token.empty() && is_space(token.back())) token.remove_suffix(1);
  return token;
}

inline std::string describe(simdjson::error_code code) {
  switch (code) {
    case simdjson::EMPTY:
      return "expected a JSON object, found nothing";
    case simdjson::UTF8_ERROR:
      return "not valid UTF-8";
    case simdjson::UNESCAPED_CHARS:
      return "a string with a control character";
    case simdjson::UNCLOSED_STRING:
      return "a string that does not end";
    case simdjson::STRING_ERROR:
      return "a string with an invalid escape";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return "an object or list that does not end";
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
      return "too large";
    default:
      return "malformed JSON";
  }
}

// Reads one document. Every member returns false after the first fault, and keeps that fault.
class Walk {
 public:
  Walk(std::string_view body, json::document& document) : body_(body), document_(document) {}

  Error fault() const { return fault_.value_or(Error{"malformed JSON", ""}); }

  bool fail(std::string message, const char* at) {
    if (!fault_) {
      fault_ = Error{std::move(message), "byte " + std::to_string(at - body_.data())};
    }
    return false;
  }
  bool fail(simdjson::error_code code) {
    const char* at = nullptr;
    if (document_.current_location().get(at) == simdjson::SUCCESS) return fail(describe(code), at);
    if (!fault_) fault_ = Error{describe(code), ""};
    return false;
  }
  bool mismatch(std::string_view token, std::string_view what, const char* expected) {
    return fail("\"" + std::string(what) + "\": expected " + expected + ", found " + kind_of(token),
                token.data());
  }

  // The whole document: one object, with nothing after it.
  template <class OnField>
  bool root(OnField&& on_field) {
    json::value value;
    const std::size_t start = body_.find_first_not_of(" \n\t\r");
    if (start == body_.npos || body_[start] != '{') {
      const std::string_view rest = start == body_.npos ? "" : body_.substr(start);
      return fail(std::string("expected a JSON object, found ") + kind_of(rest),
                  body_.data() + std::min(start, body_.size()));
    }
    if (const auto code = document_.get_value().get(value)) return fail(code);
    if (!fields(value, "request", std::forward<OnField>(on_field))) return false;
    const char* after = nullptr;
    const auto code = document_.current_location().get(after);
    if (code == simdjson::SUCCESS) return fail("something after the end of the request", after);
    return true;
  }

  // Calls on_field(key, value), which returns false on failure. Null counts as an object without
  // fields.
  template <class OnField>
  bool fields(json::value value, std::string_view what, OnField&& on_field) {
    const std::string_view token = token_of(value);
    if (token == "null") return true;
    if (token.empty() || token.front() != '{') return mismatch(token, what, "an object");
    json::object object;
    if (const auto code = value.get_object().get(object)) return fail(code);
    for (auto each : object) {
      json::field field;
      std::string_view key;
      if (const auto code = std::move(each).get(field)) return fail(code);
      if (const auto code = field.unescaped_key().get(key)) return fail(code);
      if (!on_field(key, field.value())) return false;
    }
    return true;
  }

  // Calls on_item(value), which returns false on failure. Null counts as an empty list.
  template <class OnItem>
  bool items(json::value value, std::string_view what, OnItem&& on_item) {
    const std::string_view token = token_of(value);
    if (token == "null") return true;
    if (token.empty() || token.front() != '[') return mismatch(token, what, "a list");
    json::array array;
    if (const auto code = value.get_array().get(array)) return fail(code);
    for (auto each : array) {
      json::value item;
      if (const auto code = std::move(each).get(item)) return fail(code);
      if (!on_item(item)) return false;
    }
    return true;
  }

  // The string as a view into the body. A string with escapes is unescaped by the parser.
  bool view(json::value value, std::string_view what, std::string_view& out) {
    const std::string_view token = token_of(value);
    if (token.size() < 2 || token.front() != '"') return mismatch(token, what, "a string");
    if (is_key(token)) return fail("malformed JSON", token.data());
    out = token.substr(1, token.size() - 2);
    if (out.find('\\') == out.npos) return true;
    const auto code = value.get_string().get(out);
    return code == simdjson::SUCCESS || fail(describe(code), token.data());
  }
  // Null leaves `out` empty.
  bool text(json::value value, std::string_view what, std::string& out) {
    out.clear();
    if (token_of(value) == "null") return true;
    std::string_view content;
    if (!view(value, what, content)) return false;
    out = content;
    return true;
  }
  bool integer(json::value value, std::string_view what, std::int64_t& out) {
    const std::string_view token = token_of(value);
    out = 0;
    if (token == "null") return true;
    if (document::is_json_number(token) && value.get_int64().get(out) == simdjson::SUCCESS)
      return true;
    return mismatch(token, what, "a 64-bit integer");
  }

  // Checks a value that nobody reads.
  bool skip(json::value value, int depth = 3) {
    const std::string_view token = token_of(value);
    if (depth > kDepthMax) {
      return fail("nested deeper than " + std::to_string(kDepthMax), token.data());
    }
    const char first = token.empty() ? '\0' : token.front();
    if (first == '{') {
      return fields(value, "",
                    [&](std::string_view, json::value each) { return skip(each, depth + 1); });
    }
    if (first == '[') {
      return items(value, "", [&](json::value each) { return skip(each, depth + 1); });
    }
    std::string_view ignored;
    if (first == '"') return view(value, "", ignored);
    const bool is_word = token == "null" || token == "true" || token == "false";
    return is_word || document::is_json_number(token) || fail("malformed JSON", token.data());
  }

  // The JSON from `token` to the current place, which is after that value.
  std::string_view since(std::string_view token) {
    const char* end = nullptr;
    if (document_.current_location().get(end) != simdjson::SUCCESS) {
      end = body_.data() + body_.size();
    }
    while (end > token.data() && is_space(end[-1])) --end;
    return {token.data(), static_cast<std::size_t>(end - token.data())};
  }

 private:
  static constexpr int kDepthMax = 100;

  // simdjson would pass over `"a":"b":"c"`: it takes a string that was not read for a key.
  bool is_key(std::string_view token) const {
    const auto end = static_cast<std::size_t>(token.data() + token.size() - body_.data());
    const std::size_t next = body_.find_first_not_of(" \n\t\r", end);
    return next != body_.npos && body_[next] == ':';
  }

  std::string_view body_;
  json::document& document_;
  std::optional<Error> fault_;
};

}  // namespace berth::extender
