#include "page/names.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "berth/base/text.h"

namespace berth::page {

namespace {

// Each begins with its namespace and ends with kEnd; a message may have mentions in it.
constexpr char kName = '\x01';
constexpr char kMessage = '\x02';
constexpr char kMention = '\x03';
constexpr char kSpaceEnd = '\x04';
constexpr char kEnd = '\x05';

bool is_mark(char c) { return static_cast<unsigned char>(c) < 0x20; }

std::string quoted(std::string_view text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append_marked(std::string& to, char mark, std::string_view name_space, std::string_view json) {
  (((to += mark) += name_space) += kSpaceEnd) += json;
  to += kEnd;
}

bool is_of_label(char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-'; }
// May stand in a name with a slash, of Kubernetes or of others.
bool is_of_word(char c) {
  return is_of_label(c) || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '/';
}

struct Mention {
  std::size_t begin = std::string_view::npos;
  std::size_t slash = 0;
  std::size_t end = 0;
};

// The next word such as "ml/train" and not "4/8 nodes", "nvidia.com/gpu" or "a/b/c".
Mention next_mention(std::string_view text, std::size_t from) {
  const auto is_number = [](std::string_view part) {
    return std::all_of(part.begin(), part.end(), is_digit);
  };
  while (from < text.size()) {
    if (!is_of_word(text[from])) {
      ++from;
      continue;
    }
    std::size_t end = from;
    while (end < text.size() && is_of_word(text[end])) ++end;
    std::string_view word = text.substr(from, end - from);
    while (word.ends_with('.')) word.remove_suffix(1);
    const std::size_t slash = word.find('/');
    if (slash != std::string_view::npos) {
      const std::string_view space = word.substr(0, slash);
      const std::string_view name = word.substr(slash + 1);
      const bool is_label = !space.empty() && std::all_of(space.begin(), space.end(), is_of_label);
      const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return is_of_label(c) || c == '.';
      });
      const bool is_count =
          is_number(space) && is_number(name) && text.substr(end).starts_with(" nodes");
      if (is_label && is_name && !is_count) {
        return {from, from + slash, from + word.size()};
      }
    }
    from = end;
  }
  return {};
}

}  // namespace

void append_text(std::string& to, std::string_view text) { to += quoted(text); }

std::string_view namespace_of(std::string_view full_name) {
  const std::size_t slash = full_name.find('/');
  return full_name.substr(0, slash == std::string_view::npos ? 0 : slash);
}

void append_name(std::string& to, std::string_view name_space, std::string_view name) {
  if (name_space.empty()) return append_text(to, name);
  const std::string json = quoted(name);
  to += '"';
  append_marked(to, kName, name_space, std::string_view(json).substr(1, json.size() - 2));
  to += '"';
}

void append_message(std::string& to, std::string_view name_space, std::string_view message) {
  std::string marked;
  const auto append = [&](std::string_view part) {
    const std::string json = quoted(part);
    marked.append(json, 1, json.size() - 2);
  };
  std::size_t at = 0;
  for (Mention next = next_mention(message, 0); next.begin < message.size();
       next = next_mention(message, at)) {
    append(message.substr(at, next.begin - at));
    append_marked(marked, kMention, message.substr(next.begin, next.slash - next.begin),
                  message.substr(next.begin, next.end - next.begin));
    at = next.end;
  }
  append(message.substr(at));
  to += '"';
  append_marked(to, kMessage, name_space, marked);
  to += '"';
}

void add_namespaces(std::set<std::string>& to, std::string_view marked) {
  for (std::size_t at = marked.find(kName); at != std::string_view::npos;
       at = marked.find(kName, at + 1)) {
    const std::size_t end = marked.find(kSpaceEnd, at);
    to.emplace(marked.substr(at + 1, end - at - 1));
  }
}

void append_shown(std::string& to, std::string_view marked, const ports::SeenNamespaces* seen) {
  std::size_t hidden = 0;  // marks that have begun since the one that hides
  for (std::size_t at = 0; at < marked.size();) {
    std::size_t mark = at;
    while (mark < marked.size() && !is_mark(marked[mark])) ++mark;
    if (hidden == 0) to.append(marked.substr(at, mark - at));
    if (mark == marked.size()) return;
    at = mark + 1;
    if (marked[mark] == kEnd) {
      if (hidden > 0) --hidden;
      continue;
    }
    const std::size_t space_end = marked.find(kSpaceEnd, at);
    const bool is_seen = seen == nullptr || seen->has(marked.substr(at, space_end - at));
    at = space_end + 1;
    if (hidden > 0 || !is_seen) {
      if (hidden == 0 && marked[mark] != kMessage) to += kHidden;
      ++hidden;
    }
  }
}

}  // namespace berth::page
