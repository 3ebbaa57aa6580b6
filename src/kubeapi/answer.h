#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/base/clock.h"
#include "kubeapi/request.h"

// Facts about an answer before its body is read. Every function here is pure.

namespace berth::kubeapi {

struct AnswerHead {
  int status = 0;
  std::optional<Duration> retry_after;
  std::string content_type;  // as sent; empty: none was sent
};

// Of that header's text: whole seconds, an hour at most. None for a date.
std::optional<Duration> retry_after(std::string_view text);

// "text/html; charset=utf-8" -> "text/html".
std::string media_type(std::string_view content_type);

// True for a success of another type than the format's, which comes from a proxy or from a server
// that is no API server. An answer without a type counts as JSON.
bool is_foreign(const AnswerHead& head, Format expected);

// The error for such an answer: the expected type, the actual one, and the first characters.
std::string not_expected(Format expected, std::string_view content_type, std::string_view body);

// At most 80 characters, on one line, in quotes; whole UTF-8 sequences only.
std::string first_characters(std::string_view text);

}  // namespace berth::kubeapi
