#include "tidy/word_gates.h"

#include <algorithm>
#include <cctype>
#include <regex>

namespace berth::tidy {

namespace {

const std::vector<std::string> kEmptyWords{"Manager", "Util", "Utils", "Helper",
                                           "Helpers", "Info", "Data"};

// "HttpDataStream" -> Http, Data, Stream.
bool has_empty_word(const std::string& name) {
  static const std::regex kPart("[A-Z][a-z0-9]*");
  for (std::sregex_iterator at(name.begin(), name.end(), kPart), end; at != end; ++at) {
    if (std::find(kEmptyWords.begin(), kEmptyWords.end(), at->str()) != kEmptyWords.end()) {
      return true;
    }
  }
  return false;
}

// "http_data" -> HttpData.
std::string in_pascal_case(const std::string& name) {
  std::string pascal;
  bool starts = true;
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (c != '_') pascal += static_cast<char>(starts ? std::toupper(letter) : letter);
    starts = c == '_';
  }
  return pascal;
}

// Regular expressions are slow, and most files have none of the words.
bool mentions(const File& file, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return file.text.find(word) != std::string::npos;
  });
}

// Calls `found` with each match of the first group in the files' code.
template <class Found>
void each_match(const Tree& tree, const std::vector<std::string>& words, const std::regex& pattern,
                Found found) {
  for (const File& file : tree.files) {
    if (!file.is_code() || !mentions(file, words)) continue;
    const std::string code = parts_of(file.text).code;
    for (std::sregex_iterator at(code.begin(), code.end(), pattern), end; at != end; ++at) {
      const std::size_t line = line_at(code, static_cast<std::size_t>(at->position(1)));
      found(file, line, (*at)[1].str());
    }
  }
}

}  // namespace

Complaints todos_without_issue(const Tree& tree) {
  static const std::regex kOpen(R"(\b(TODO|FIXME|XXX)\b(?!\s*\(?#\d+))");
  Complaints complaints;
  for (const File& file : tree.files) {
    if (file.is_document() && file.is_below("docs")) continue;  // they speak about the rule
    if (!mentions(file, {"TODO", "FIXME", "XXX"})) continue;
    const std::string text = file.is_code() ? parts_of(file.text).comments : file.text;
    for (std::sregex_iterator at(text.begin(), text.end(), kOpen), end; at != end; ++at) {
      const std::size_t line = line_at(text, static_cast<std::size_t>(at->position()));
      complaints.push_back(complaint(file, line, at->str() + " without #issue"));
    }
  }
  return complaints;
}

Complaints sleeps_in_tests(const Tree& tree) {
  static const std::regex kSleep(R"(\b(sleep_for|sleep_until|usleep|nanosleep|sleep)\s*\()");
  Complaints complaints;
  each_match(tree, {"sleep"}, kSleep,
             [&](const File& file, std::size_t line, const std::string& word) {
               if (file.is_below("tests"))
                 complaints.push_back(complaint(file, line, word + " in a test"));
             });
  return complaints;
}

Complaints names_that_say_nothing(const Tree& tree) {
  static const std::regex kType(R"(\b(?:class|struct|enum|union|using|concept)\s+(\w+))");
  Complaints complaints;
  each_match(tree, kEmptyWords, kType,
             [&](const File& file, std::size_t line, const std::string& name) {
               if (has_empty_word(name))
                 complaints.push_back(complaint(file, line, "a type named " + name));
             });
  for (const File& file : tree.files) {
    if (file.is_code() && has_empty_word(in_pascal_case(file.stem()))) {
      complaints.push_back(complaint(file, 1, "a file named " + file.stem()));
    }
  }
  return complaints;
}

Complaints hash_maps_without_promise(const Tree& tree) {
  static const std::regex kCore("^(include|plugins|src/(base|model|engine|mirror|actions))/");
  Complaints complaints;
  for (const File& file : tree.files) {
    if (!file.is_code() || !std::regex_search(file.path, kCore)) continue;
    const std::vector<std::string> lines = file.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string code = parts_of(lines[i]).code;
      const bool is_declared = code.find("unordered_") != std::string::npos &&
                               code.find("#include") == std::string::npos;
      if (!is_declared || lines[i].find("// look-up only") != std::string::npos) continue;
      complaints.push_back(complaint(file, i + 1, "a hash map that is not \"look-up only\""));
    }
  }
  return complaints;
}

Complaints calls_that_throw(const Tree& tree) {
  // Of nlohmann's library: readers without `false`, writers without a handler, typed getters.
  static const std::regex kCall(
      R"((\bstd::(?:sto[dfilu]+|regex)\b)"
      R"(|[jJ]son::parse\((?![^;]*\bfalse\))|\.dump\((?![^;]*error_handler_t::))"
      R"(|\.get(?:_ref)?<|\.get_to\(|\.value\([^();]*,))");
  Complaints complaints;
  each_match(tree, {"std::sto", "std::regex", "arse(", ".dump(", ".get", ".value("}, kCall,
             [&](const File& file, std::size_t line, const std::string& call) {
               const bool is_of_json = !call.starts_with("std::");
               const bool has_json = file.text.find("nlohmann") != std::string::npos;
               if (file.is_below("tests") || file.is_below("bench") || (is_of_json && !has_json))
                 return;
               complaints.push_back(complaint(file, line, call + " may throw"));
             });
  return complaints;
}

}  // namespace berth::tidy
