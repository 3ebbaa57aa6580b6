#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/base/clock.h"

// What can be said of an answer before its body is read. Everything here is a pure function.

namespace berth::kubeapi {

struct AnswerHead {
  int status = 0;
  std::optional<Duration> retry_after;
  std::string content_type;  // as sent; empty: the server did not say
};

// "text/html; charset=utf-8" -> "text/html".
std::string media_type(std::string_view content_type);

// A success of another type than JSON comes from a proxy or from no API server at all. An answer
// without a type is given the benefit of the doubt.
bool is_foreign(const AnswerHead& head);

// For such an answer: what was expected, what came, and how it begins.
std::string not_json(std::string_view content_type, std::string_view body);

// At most 80 characters, on one line, in quotes; whole UTF-8 sequences only.
std::string first_characters(std::string_view text);

}  // namespace berth::kubeapi
