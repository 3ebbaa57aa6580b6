#include "tidy/contract_gates.h"

#include <algorithm>
#include <map>
#include <regex>

namespace berth::tidy {

namespace {

const std::string kDesign = "docs/design";

struct Registered {
  const File* file = nullptr;
  std::size_t line = 0;
  std::string name;
};

std::vector<Registered> registered_in(const Tree& tree) {
  static const std::regex kMacro(R"re(\nBERTH_(?:PLUGIN|ACTION)\(\w+, "(\w+)"\))re");
  std::vector<Registered> registered;
  for (const File& file : tree.files) {
    if (!file.is_below("plugins") && !file.is_below("src/actions")) continue;
    for (std::sregex_iterator at(file.text.begin(), file.text.end(), kMacro), end; at != end;
         ++at) {
      const std::size_t line = line_at(file.text, static_cast<std::size_t>(at->position(1)));
      registered.push_back({&file, line, (*at)[1]});
    }
  }
  return registered;
}

// Ids in the first column of the document's tables, with their lines.
std::map<std::string, std::size_t> rules_of(const File& document) {
  static const std::regex kRow(R"(^\|\s*([A-Z]+-[0-9]+)\s*\|)");
  std::map<std::string, std::size_t> rules;
  const std::vector<std::string> lines = document.lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (std::regex_search(lines[i], match, kRow)) rules.emplace(match[1], i + 1);
  }
  return rules;
}

// The paths in back quotes on the line that begins with `label`.
std::vector<std::string> paths_after(const File& document, const std::string& label) {
  static const std::regex kPath("`([^`]+)`");
  std::vector<std::string> paths;
  for (const std::string& line : document.lines()) {
    if (!line.starts_with(label)) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), kPath), end; at != end; ++at) {
      paths.push_back((*at)[1]);
    }
  }
  return paths;
}

bool is_within(const std::string& text, std::size_t at, std::string_view characters) {
  return at < text.size() && characters.find(text[at]) != std::string_view::npos;
}

// Words such as "GANG-1", with the line of the first. Of all texts, so without a regular
// expression.
std::map<std::string, std::size_t> ids_in(const std::string& text) {
  constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kDigits = "0123456789";
  const auto is_in_word = [&](std::size_t at) { return at < text.size() && is_word(text[at]); };
  std::map<std::string, std::size_t> ids;
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 1)) {
    std::size_t begin = at;
    while (is_within(text, begin - 1, kCapitals)) --begin;
    std::size_t end = at + 1;
    while (is_within(text, end, kDigits)) ++end;
    if (begin == at || end == at + 1 || is_in_word(begin - 1) || is_in_word(end)) continue;
    ids.emplace(text.substr(begin, end - begin), line_at(text, begin));
  }
  return ids;
}

// The first groups of the pattern, with the lines where they first are.
std::map<std::string, std::size_t> words_in(const std::string& text, const std::regex& pattern) {
  std::map<std::string, std::size_t> words;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    words.emplace((*at)[1].str(), line_at(text, static_cast<std::size_t>(at->position(1))));
  }
  return words;
}

// "GANG" of "GANG-1".
std::string prefix_of(const std::string& id) { return id.substr(0, id.find('-')); }

// "GANG1": the id as part of an identifier.
std::string without_hyphen(std::string id) {
  id.erase(id.find('-'), 1);
  return id;
}

// "GANG-1" in "GANG-1 holds", but not in "GANG-12".
bool names(const std::string& text, const std::string& id) {
  for (std::size_t at = text.find(id); at != std::string::npos; at = text.find(id, at + 1)) {
    const bool starts = at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
    const std::size_t end = at + id.size();
    const bool ends =
        end == text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0;
    if (starts && ends) return true;
  }
  return false;
}

bool names_rule(const std::string& text, const std::string& id) {
  return names(text, id) || names(text, without_hyphen(id));
}

bool is_test_of(const File& file, const File& document, const std::vector<std::string>& named) {
  if (!file.is_below("tests") || file.is_below("tests/tidy")) return false;
  return file.path.find(document.stem(), 6) != std::string::npos ||
         std::any_of(named.begin(), named.end(), [&](const std::string& path) {
           return file.path == path || file.is_below(path);
         });
}

std::vector<const File*> design_documents(const Tree& tree) {
  std::vector<const File*> documents;
  for (const File& file : tree.files) {
    if (file.is_below(kDesign) && file.is_document()) documents.push_back(&file);
  }
  return documents;
}

// The words of `enum class Reason`.
std::map<std::string, std::size_t> reasons_of(const File& header) {
  static const std::regex kWord("[a-z_]+");
  std::map<std::string, std::size_t> reasons;
  const std::string code = parts_of(header.text).code;
  const std::size_t open = code.find('{', code.find("enum class Reason"));
  const std::size_t close = std::min(code.find('}', open), code.size());
  if (open == std::string::npos) return reasons;
  const auto begin = code.begin() + static_cast<std::ptrdiff_t>(open);
  const auto end_of_enum = code.begin() + static_cast<std::ptrdiff_t>(close);
  for (std::sregex_iterator at(begin, end_of_enum, kWord), end; at != end; ++at) {
    reasons.emplace(at->str(), line_at(code, open + static_cast<std::size_t>(at->position())));
  }
  return reasons;
}

const std::string kReasonHeader = "include/berth/model/reason.h";
const std::string kReasonTable = "src/model/reason.cpp";
const std::string kPointsHeader = "include/berth/engine/points.h";

struct PointText {
  std::string name;  // of the constant, "job_order"
  std::size_t line = 0;
  bool has_sentence = false;
};

std::vector<PointText> points_of(const File& header) {
  static const std::regex kPoint(R"(^BERTH_POINT\(\w+, (\w+),)");
  const std::vector<std::string> lines = header.lines();
  std::vector<PointText> points;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (!std::regex_search(lines[i], match, kPoint)) continue;
    const bool has_sentence = i > 0 && lines[i - 1].starts_with("// ") &&
                              (lines[i - 1].ends_with(".") || lines[i - 1].ends_with("?"));
    points.push_back({match[1], i + 1, has_sentence});
  }
  return points;
}

}  // namespace

Complaints plugins_without_document(const Tree& tree) {
  Complaints complaints;
  for (const Registered& each : registered_in(tree)) {
    std::string name = each.name;
    std::replace(name.begin(), name.end(), '_', '-');  // as the other documents
    const std::string path = kDesign + "/" + name + ".md";
    const File* document = tree.find(path);
    if (document == nullptr) {
      complaints.push_back(complaint(*each.file, each.line, path + " is missing"));
      continue;
    }
    if (rules_of(*document).empty()) complaints.push_back(complaint(*document, 1, "no rules"));
    const std::vector<std::string> code = paths_after(*document, "Code: ");
    if (std::find(code.begin(), code.end(), each.file->path) == code.end()) {
      complaints.push_back(complaint(*document, 1, "no line \"Code: `" + each.file->path + "`\""));
    }
  }
  return complaints;
}

Complaints rules_that_differ(const Tree& tree) {
  Complaints complaints;
  for (const File* document : design_documents(tree)) {
    std::set<std::string> in_code;
    for (const std::string& path : paths_after(*document, "Code: ")) {
      const File* file = tree.find(path);
      if (file == nullptr) {
        complaints.push_back(complaint(*document, 1, "there is no " + path));
        continue;
      }
      for (const auto& [id, line] : ids_in(parts_of(file->text).comments)) in_code.insert(id);
    }
    for (const auto& [id, line] : rules_of(*document)) {
      if (in_code.contains(id)) continue;
      complaints.push_back(complaint(*document, line, id + " is not in the code"));
    }
  }
  return complaints;
}

Complaints rules_that_do_not_resolve(const Tree& tree) {
  const std::string kGuide = "docs/write-a-plugin.md";  // its example is no rule of ours
  Complaints complaints;
  std::map<std::string, std::string> homes;  // documents by prefix
  std::set<std::string> rules;
  for (const File& file : tree.files) {
    if (!file.is_document() || !file.is_below("docs") || file.path == kGuide) continue;
    for (const auto& [id, line] : rules_of(file)) {
      const auto home = homes.try_emplace(prefix_of(id), file.path).first;
      rules.insert(id);
      if (home->second != file.path)
        complaints.push_back(complaint(file, line, id + " is a rule elsewhere"));
    }
  }
  for (const File& file : tree.files) {
    if (file.is_below("tests/tidy") || file.path == kGuide) continue;
    for (const auto& [id, line] :
         ids_in(file.is_code() ? parts_of(file.text).comments : file.text)) {
      if (!homes.contains(prefix_of(id)) || rules.contains(id)) continue;
      complaints.push_back(complaint(file, line, id + " is in no table of rules"));
    }
  }
  return complaints;
}

Complaints rules_without_test(const Tree& tree) {
  Complaints complaints;
  for (const File* document : design_documents(tree)) {
    const std::vector<std::string> named = paths_after(*document, "Tests: ");
    for (const std::string& path : named) {
      if (tree.find(path) != nullptr || tree.has_directory(path)) continue;
      complaints.push_back(complaint(*document, 1, "there is no " + path));
    }
    for (const auto& [id, line] : rules_of(*document)) {
      const bool is_tested =
          std::any_of(tree.files.begin(), tree.files.end(), [&, rule = id](const File& file) {
            return is_test_of(file, *document, named) && names_rule(file.text, rule);
          });
      if (!is_tested) complaints.push_back(complaint(*document, line, id + " is in no test"));
    }
  }
  return complaints;
}

Complaints reasons_without_sentence(const Tree& tree) {
  const File* header = tree.find(kReasonHeader);
  const File* table = tree.find(kReasonTable);
  if (header == nullptr || table == nullptr) return {"model/reason: not found"};
  Complaints complaints;
  for (const auto& [reason, line] : reasons_of(*header)) {
    const std::regex row("\\{Reason::" + reason + ",\\s*\"" + reason +
                         "\",\\s*(?:ReasonAbout::\\w+,\\s*)?\"[^\"]*\\w");
    if (std::regex_search(table->text, row)) continue;
    complaints.push_back(complaint(*header, line, reason + " has no sentence"));
  }
  return complaints;
}

Complaints reasons_without_test(const Tree& tree, const std::set<std::string>& untested) {
  const File* header = tree.find(kReasonHeader);
  if (header == nullptr) return {kReasonHeader + ": not found"};
  Complaints complaints;
  for (const auto& [reason, line] : reasons_of(*header)) {
    const bool is_tested =
        std::any_of(tree.files.begin(), tree.files.end(), [&, word = reason](const File& file) {
          return file.is_below("tests") && !file.is_below("tests/tidy") &&
                 find_word(file.text, word) != std::string::npos;
        });
    if (is_tested != untested.contains(reason)) continue;
    complaints.push_back(complaint(
        *header, line,
        reason + (is_tested ? " is tested: say no more that it is not" : " occurs in no test")));
  }
  return complaints;
}

Complaints metrics_that_differ(const Tree& tree) {
  static const std::regex kInCode("\"(berth_[a-z_]+)\"");
  static const std::regex kInDocument("`(berth_[a-z_]+)`");
  const File* const document = tree.find("docs/metrics.md");
  if (document == nullptr) return {};
  const std::map<std::string, std::size_t> listed = words_in(document->text, kInDocument);
  std::set<std::string> known;
  Complaints complaints;
  for (const File& file : tree.files) {
    if (!file.is_below("src") || !file.is_code()) continue;
    for (const auto& [metric, line] : words_in(file.text, kInCode)) {
      known.insert(metric);
      if (listed.contains(metric)) continue;
      complaints.push_back(complaint(file, line, metric + " is not in docs/metrics.md"));
    }
  }
  for (const auto& [metric, line] : listed) {
    if (!known.contains(metric)) complaints.push_back(complaint(*document, line, "no " + metric));
  }
  return complaints;
}

Complaints points_without_sentence(const Tree& tree) {
  const File* header = tree.find(kPointsHeader);
  if (header == nullptr) return {kPointsHeader + ": not found"};
  Complaints complaints;
  const std::vector<PointText> points = points_of(*header);
  if (points.empty()) complaints.push_back(complaint(*header, 1, "no extension points"));
  for (const PointText& point : points) {
    if (!point.has_sentence) {
      complaints.push_back(complaint(*header, point.line, point.name + " has no sentence"));
    }
  }
  return complaints;
}

Complaints points_nobody_asks(const Tree& tree, const std::set<std::string>& unasked) {
  const File* header = tree.find(kPointsHeader);
  if (header == nullptr) return {kPointsHeader + ": not found"};
  Complaints complaints;
  std::string asking;  // the code of all files that ask
  for (const File& file : tree.files) {
    const bool may_ask = file.is_below("src") || file.is_below("plugins");
    if (!may_ask || file.text.find("ask(") == std::string::npos) continue;
    asking += parts_of(file.text).code;
  }
  static const std::regex kAsk(R"(\bask\(\s*points::(\w+))");
  const std::map<std::string, std::size_t> asked = words_in(asking, kAsk);
  for (const PointText& point : points_of(*header)) {
    const bool is_asked = asked.contains(point.name);
    if (is_asked != unasked.contains(point.name)) continue;
    complaints.push_back(complaint(
        *header, point.line,
        point.name + (is_asked ? " is asked: say no more that it is not" : " is asked by nobody")));
  }
  return complaints;
}

}  // namespace berth::tidy
