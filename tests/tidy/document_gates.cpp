#include "tidy/document_gates.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>

namespace berth::tidy {

namespace {

// The lines, those within fences emptied.
std::vector<std::string> prose_of(const File& document) {
  std::vector<std::string> lines = document.lines();
  bool is_fenced = false;
  for (std::string& line : lines) {
    const bool is_fence = line.starts_with("```");
    if (is_fence || is_fenced) line.clear();
    is_fenced = is_fenced != is_fence;
  }
  return lines;
}

// The anchor on GitHub: "## What is *it*?" -> "what-is-it".
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading.substr(std::min(heading.find(' '), heading.size() - 1) + 1)) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0 || c == '_' || c == '-') {
      anchor += static_cast<char>(std::tolower(letter));
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

bool has_heading(const File& document, const std::string& anchor) {
  const std::vector<std::string> prose = prose_of(document);
  return std::any_of(prose.begin(), prose.end(), [&](const std::string& line) {
    return line.starts_with("#") && anchor_of(line) == anchor;
  });
}

bool is_external(const std::string& target) {
  return target.find("://") != std::string::npos || target.starts_with("mailto:");
}

bool leads_somewhere(const Tree& tree, const File& from, const std::string& target) {
  const std::size_t hash = std::min(target.find('#'), target.size());
  const std::string relative = target.substr(0, hash);
  const std::filesystem::path joined = std::filesystem::path(from.directory()) / relative;
  std::string path = relative.empty() ? from.path : joined.lexically_normal().generic_string();
  if (path.ends_with("/")) path.pop_back();
  const File* file = tree.find(path);
  if (file == nullptr) {
    return hash == target.size() && (tree.has_directory(path) || tree.pictures.contains(path));
  }
  return hash == target.size() || has_heading(*file, target.substr(hash + 1));
}

}  // namespace

Complaints documents_without_one_title(const Tree& tree) {
  Complaints complaints;
  for (const File& file : tree.files) {
    if (!file.is_document()) continue;
    const std::vector<std::string> prose = prose_of(file);
    const auto titles = std::count_if(
        prose.begin(), prose.end(), [](const std::string& line) { return line.starts_with("# "); });
    if (titles == 1 && prose.front().starts_with("# ")) continue;
    complaints.push_back(complaint(file, 1, std::to_string(titles) + " titles; one comes first"));
  }
  return complaints;
}

Complaints links_that_lead_nowhere(const Tree& tree) {
  static const std::regex kLink(R"(\]\(([^)\s]+)\))");
  static const std::regex kCode("`[^`]*`");
  Complaints complaints;
  for (const File& file : tree.files) {
    if (!file.is_document()) continue;
    const std::vector<std::string> prose = prose_of(file);
    for (std::size_t i = 0; i < prose.size(); ++i) {
      const std::string line = std::regex_replace(prose[i], kCode, "``");
      for (std::sregex_iterator at(line.begin(), line.end(), kLink), end; at != end; ++at) {
        const std::string target = (*at)[1];
        if (is_external(target) || leads_somewhere(tree, file, target)) continue;
        complaints.push_back(complaint(file, i + 1, target + " leads nowhere"));
      }
    }
  }
  return complaints;
}

}  // namespace berth::tidy
