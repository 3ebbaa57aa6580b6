#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"

namespace berth {

// The candidate nearest to `word` by edit distance, if it is near enough for a typing error. Among
// equals, the earlier candidate is returned.
std::optional<std::string> did_you_mean(std::string_view word,
                                        std::span<const std::string> candidates);

// `; did you mean "gang"?`, or, with nothing near, `; expected one of: a, b, c`.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

// "a,b ,c" -> {"a","b","c"}: parts are trimmed, empty parts dropped.
std::vector<std::string> split_list(std::string_view text, char separator);

// "n1, n2 and 7 more": names at most eight. "none" for an empty list.
std::string first_names(std::span<const std::string> names);

// "1 node", "2 nodes".
std::string count_text(std::size_t count, std::string_view noun);

std::string_view trimmed(std::string_view text);

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Letters of ASCII in lower case; other bytes stay.
std::string lowered(std::string_view text);
// The same but for the case of ASCII letters.
bool is_same_word(std::string_view left, std::string_view right);

// `text`, which is UTF-8, as a string of JSON.
std::string json_string(std::string_view text);
void append_json_string(std::string& to, std::string_view text);

// Go syntax: "90s", "1m30s", "1.5h", "250ms", and "0". Refuses negative values and overflow.
Result<Duration> parse_duration(std::string_view text);

// The shortest Go form that reads back exactly: "1m30s".
std::string format_duration(Duration duration);

// RFC 3339 with seconds or fractions, "Z" or an offset: "2026-11-21T09:00:00Z".
Result<TimePoint> parse_time(std::string_view text);

// "2026-11-21T09:00:00Z", with fractions only where they are not zero.
std::string format_time(TimePoint time);

// Compares names with numbers by value, so "n2" < "n10". Total: 0 only for the same name.
int natural_compare(std::string_view left, std::string_view right);

}  // namespace berth
