#include "tidy/size_gates.h"

#include <algorithm>
#include <regex>

namespace berth::tidy {

namespace {

constexpr std::size_t kFileLines = 400;
constexpr std::size_t kPublicHeaderLines = 200;
constexpr std::size_t kFunctionLines = 70;
constexpr std::size_t kColumns = 100;

std::size_t columns(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;  // not a continuation byte of UTF-8
  }));
}

// Directives and their continuation lines become blank: their braces need not match.
std::string without_directives(std::string code) {
  bool in_directive = false;
  for (std::size_t begin = 0; begin < code.size();) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    const std::size_t first = code.find_first_not_of(" \t", begin);
    in_directive = in_directive || (first < end && code[first] == '#');
    const bool goes_on = end > begin && code[end - 1] == '\\';
    if (in_directive)
      std::fill_n(code.begin() + static_cast<std::ptrdiff_t>(begin), end - begin, ' ');
    in_directive = in_directive && goes_on;
    begin = end + 1;
  }
  return code;
}

// The kind of block that a brace opens, by the text before it at its own level.
enum class Opens { scope, function, other };

Opens what_opens(const std::string& head) {
  static const std::regex kScope(
      R"(^\s*(template\s*<.*>\s*)?(inline\s+)?(namespace|class|struct|union|extern)\b[^()]*$)");
  static const std::regex kInitialiser(R"(\)\s*(noexcept\s*)?:[^:].*[\w>]\s*$)");
  static const std::regex kQualified(R"(\b(const|noexcept|override|final|try)\s*$)");
  if (std::regex_search(head, kScope)) return Opens::scope;
  if (head.find('(') == std::string::npos) return Opens::other;
  if (std::regex_search(head, kInitialiser) && !std::regex_search(head, kQualified)) {
    return Opens::other;  // `: member_{...`
  }
  return Opens::function;
}

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

std::vector<Function> functions_of(const std::string& text) {
  const std::string code = without_directives(parts_of(text).code);
  static const std::regex kAccess(R"(^\s*((public|private|protected)\s*:\s*)?)");
  std::vector<Function> functions;
  std::size_t depth = 0;  // braces within the function or initialiser that is open
  bool in_function = false;
  std::size_t begin = 0;  // of the declaration
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (depth > 0) {
      if (code[i] == '{') ++depth;
      if (code[i] == '}') --depth;
      if (depth > 0 || !in_function) continue;
      functions.back().last_line = line_at(code, i);
      in_function = false;
      begin = i + 1;
      continue;
    }
    if (code[i] == ';' || code[i] == '}') {
      begin = i + 1;
    } else if (code[i] == '{') {
      std::string head = code.substr(begin, i - begin);
      std::smatch access;
      std::regex_search(head, access, kAccess);
      const std::size_t start = begin + static_cast<std::size_t>(access.length());
      head = on_one_line(code.substr(start, i - start));
      const Opens opens = what_opens(head);
      if (opens == Opens::scope) {
        begin = i + 1;
        continue;
      }
      depth = 1;
      in_function = opens == Opens::function;
      if (in_function) functions.push_back({head, line_at(code, start), 0});
    }
  }
  return functions;
}

Complaints files_that_are_long(const Tree& tree) {
  Complaints complaints;
  for (const File& file : tree.files) {
    if (!file.is_code()) continue;
    const std::size_t limit = file.is_below("include") ? kPublicHeaderLines : kFileLines;
    const std::size_t lines = file.lines().size();
    if (lines <= limit) continue;
    complaints.push_back(complaint(
        file, lines,
        "the file has " + std::to_string(lines) + " lines, at most " + std::to_string(limit)));
  }
  return complaints;
}

Complaints lines_that_are_long(const Tree& tree) {
  Complaints complaints;
  for (const File& file : tree.files) {
    if (!file.is_code()) continue;
    const std::vector<std::string> lines = file.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (columns(lines[i]) <= kColumns) continue;
      complaints.push_back(complaint(file, i + 1, std::to_string(columns(lines[i])) + " columns"));
    }
  }
  return complaints;
}

Complaints functions_that_are_long(const Tree& tree) {
  Complaints complaints;
  for (const File& file : tree.files) {
    if (!file.is_code()) continue;
    for (const Function& function : functions_of(file.text)) {
      const std::size_t lines = function.last_line + 1 - function.first_line;
      if (lines <= kFunctionLines) continue;
      complaints.push_back(complaint(file, function.first_line,
                                     std::to_string(lines) + " lines: " + function.signature));
    }
  }
  return complaints;
}

}  // namespace berth::tidy
