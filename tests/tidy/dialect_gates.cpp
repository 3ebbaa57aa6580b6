#include "tidy/dialect_gates.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>

namespace berth::tidy {

namespace {

struct Word {
  std::string_view word;
  std::string_view instead;
};

// In any case, as whole words or as parts of names.
constexpr std::array<Word, 21> kWords{{
    {"tell", "report, log or notify"},
    {"tells", "reports, logs or notifies"},
    {"telling", "reporting, logging or notifying"},
    {"teller", "reporter"},
    {"told", "reported, logged or notified"},
    {"said", "last reported, or observed"},
    {"nudge", "wake"},
    {"nudges", "wakes"},
    {"give way", "end for it, or lower the priority"},
    {"gives way", "ends for it, or lowers the priority"},
    {"gave way", "ended for it"},
    {"give_way", "lower_priority"},
    {"the door", "admission"},
    {"let in", "admit, admitted"},
    {"owe", "lack"},
    {"owes", "lacks"},
    {"owed", "pending, or missing"},
    {"errand", "request"},
    {"errands", "requests"},
    {"whoever", "the name of the thing"},
    {"whom", "the name of the thing"},
}};

// Former types, as whole names in code.
constexpr std::array<Word, 7> kTypes{{
    {"Wire", "ObservedPod"},
    {"Course", "Progress"},
    {"Rooms", "NodeBlock"},
    {"Potential", "ReachableCapacity"},
    {"Dues", "UnmetGuarantees"},
    {"Overdrawn", "GuaranteeVictims"},
    {"Surroundings", "Environment"},
}};

constexpr std::array<std::string_view, 6> kPronouns{"Who",  "Whom",     "Whose",
                                                    "What", "Whatever", "Whoever"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

// Names part before a capital: "findNode" is "find" and "Node".
bool is_border(char left, char right) {
  return !is_letter(left) || !is_letter(right) || (!is_upper(left) && is_upper(right));
}

bool is_whole_word(std::string_view text, std::size_t at, std::size_t end) {
  return (at == 0 || is_border(text[at - 1], text[at])) &&
         (end == text.size() || is_border(text[end - 1], text[end]));
}

std::string in_small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// As long as the file. Literals of tests are input and expectations, not messages.
std::string text_for_readers(const File& file) {
  if (!file.is_code() || !file.is_below("tests")) return file.text;
  Parts parts = parts_of(file.text);
  for (std::size_t i = 0; i < parts.code.size(); ++i) {
    if (parts.code[i] == ' ') parts.code[i] = parts.comments[i];
  }
  return std::move(parts.code);
}

void add(const File& file, std::size_t line, const Word& word, Complaints& complaints) {
  complaints.push_back(complaint(
      file, line, "\"" + std::string(word.word) + "\", say " + std::string(word.instead)));
}

void find_words(const File& file, Complaints& complaints) {
  const std::string text = text_for_readers(file);
  const std::string small = in_small_letters(text);
  for (const Word& each : kWords) {
    for (std::size_t at = small.find(each.word); at != std::string::npos;
         at = small.find(each.word, at + 1)) {
      if (!is_whole_word(text, at, at + each.word.size())) continue;
      add(file, line_at(text, at), each, complaints);
    }
  }
}

void find_types(const File& file, Complaints& complaints) {
  const auto is_there = [&](const Word& each) {
    return file.text.find(each.word) != file.text.npos;
  };
  if (!file.is_code() || std::none_of(kTypes.begin(), kTypes.end(), is_there)) return;
  const std::string code = parts_of(file.text).code;
  for (const Word& each : kTypes) {
    for (std::size_t at = find_word(code, each.word); at != std::string::npos;
         at = find_word(code, each.word, at + 1)) {
      add(file, line_at(code, at), each, complaints);
    }
  }
}

// Prose as long as the file, with a form feed wherever a paragraph begins.
std::string text_without_code(const File& file) {
  std::string prose;
  bool is_in_fence = false;
  for (const std::string& line : file.lines()) {
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view text = std::string_view(line).substr(first);
    if (file.is_document()) {
      if (text.starts_with("```")) is_in_fence = !is_in_fence;
      const bool is_prose = !is_in_fence && !text.empty() && is_letter(text.front());
      prose += is_prose ? line : std::string(line.size(), '\f');
      prose += is_prose ? '\n' : '\f';
    } else {
      const bool is_comment = text.starts_with("// ");
      prose += is_comment ? std::string(first + 2, ' ') + line.substr(first + 2)
                          : std::string(line.size(), '\f');
      prose += is_comment ? '\n' : '\f';
    }
  }
  return prose;
}

// After blanks, a full stop or the start of a paragraph comes next to the left.
bool begins_sentence(std::string_view prose, std::size_t at) {
  const std::size_t before = prose.substr(0, at).find_last_not_of(" \n");
  if (before == std::string_view::npos) return true;
  return std::string_view("\f.?!").find(prose[before]) != std::string_view::npos;
}

bool is_question(std::string_view prose, std::size_t at) {
  const std::size_t end = prose.find_first_of("\f.?!", at);
  return end != std::string_view::npos && prose[end] == '?';
}

void find_sentences(const File& file, Complaints& complaints) {
  const std::string prose = text_without_code(file);
  for (const std::string_view pronoun : kPronouns) {
    for (std::size_t at = find_word(prose, pronoun); at != std::string::npos;
         at = find_word(prose, pronoun, at + 1)) {
      if (!begins_sentence(prose, at) || is_question(prose, at)) continue;
      const auto line = 1 + std::count(file.text.begin(),
                                       file.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
      complaints.push_back(complaint(
          file, static_cast<std::size_t>(line),
          "a sentence that begins with \"" + std::string(pronoun) + "\", begin with its subject"));
    }
  }
}

}  // namespace

Complaints dialect(const Tree& tree, const std::vector<std::string>& exceptions) {
  Complaints complaints;
  std::set<std::string> needed;
  for (const File& file : tree.files) {
    Complaints found;
    find_words(file, found);
    find_types(file, found);
    if (file.is_code() || file.is_document()) find_sentences(file, found);
    if (found.empty() || file.path == "LICENSE") continue;
    const auto excused = std::find_if(
        exceptions.begin(), exceptions.end(),
        [&](const std::string& entry) { return file.path == entry || file.is_below(entry); });
    if (excused == exceptions.end()) {
      complaints.insert(complaints.end(), found.begin(), found.end());
    } else {
      needed.insert(*excused);
    }
  }
  for (const std::string& entry : exceptions) {
    if (!needed.contains(entry)) complaints.push_back(entry + ": needs no exception any more");
  }
  return complaints;
}

}  // namespace berth::tidy
