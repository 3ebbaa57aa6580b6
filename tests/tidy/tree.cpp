#include "tidy/tree.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unordered_map>

namespace berth::tidy {

namespace fs = std::filesystem;

namespace {

bool is_written_by_people(const fs::path& path) {
  static const std::vector<std::string> kSuffixes{".h",    ".cpp", ".md",  ".txt",  ".cmake",
                                                  ".yaml", ".yml", ".scn", ".json", ".ts",
                                                  ".tsx",  ".mjs", ".css"};
  // The rules of docs/design/oracle.md and of recorded runs are kept in Go.
  static const std::vector<std::string> kFolders{"scripts", ".ci", "oracle", "recorded"};
  const auto is_among = [](const std::vector<std::string>& all, const fs::path& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  return is_among(kSuffixes, path.extension()) || is_among(kFolders, path.parent_path().filename());
}

// Reads C++ from left to right, one element at a time.
class Splitter {
 public:
  explicit Splitter(std::string_view text) : text_(text) {
    parts_.code.assign(text.size(), ' ');
    parts_.comments.assign(text.size(), ' ');
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') parts_.code[i] = parts_.comments[i] = '\n';
    }
  }

  Parts split() && {
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//") {
        skip_comment(text_.find('\n', at_));
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = text_.find("*/", at_ + 2);
        skip_comment(end == std::string_view::npos ? end : end + 2);
      } else if (text_.substr(at_, 2) == "R\"") {
        skip_raw_string();
      } else if (text_[at_] == '"' || (text_[at_] == '\'' && !is_digit_separator())) {
        skip_literal(text_[at_]);
      } else {
        keep();
      }
    }
    return std::move(parts_);
  }

 private:
  void keep() {
    parts_.code[at_] = text_[at_];
    ++at_;
  }

  bool is_digit_separator() const { return at_ > 0 && is_word(text_[at_ - 1]); }

  void skip_comment(std::size_t end) {
    end = std::min(end, text_.size());
    for (std::size_t i = at_; i < end; ++i) {
      if (text_[i] != '/' && text_[i] != '\n') parts_.comments[i] = text_[i];
    }
    at_ = end;
  }

  void skip_raw_string() {
    keep();
    keep();
    const std::size_t open = text_.find('(', at_);
    const std::string close = ")" + std::string(text_.substr(at_, open - at_)) + "\"";
    const std::size_t end = text_.find(close, open);
    at_ = end == std::string_view::npos ? text_.size() : end + close.size() - 1;
    if (at_ < text_.size()) keep();
  }

  void skip_literal(char quote) {
    keep();
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ < text_.size()) keep();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Parts parts_;
};

}  // namespace

std::vector<std::string> File::lines() const {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string File::directory() const { return fs::path(path).parent_path().generic_string(); }

std::string File::stem() const { return fs::path(path).stem().generic_string(); }

bool File::is_below(std::string_view folder) const {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

const File* Tree::find(std::string_view path) const {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const File& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

bool Tree::has_directory(std::string_view path) const {
  return std::any_of(files.begin(), files.end(),
                     [&](const File& file) { return file.is_below(path); });
}

Tree read_tree(const std::string& root) {
  Tree tree;
  for (auto entry = fs::recursive_directory_iterator(root);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename().generic_string();
    if (entry->is_directory() &&
        (name == ".git" || name.starts_with("build") || name == "bundle")) {
      entry.disable_recursion_pending();
    }
    const bool is_licence = name == "LICENSE";
    if (entry->is_regular_file() && entry->path().extension() == ".png") {
      tree.pictures.insert(fs::relative(entry->path(), root).generic_string());
    }
    if (!entry->is_regular_file() || !(is_licence || is_written_by_people(entry->path()))) continue;
    std::ifstream stream(entry->path(), std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    tree.files.push_back({fs::relative(entry->path(), root).generic_string(), text.str()});
  }
  std::sort(tree.files.begin(), tree.files.end(),
            [](const File& left, const File& right) { return left.path < right.path; });
  return tree;
}

std::string complaint(const File& file, std::size_t line, const std::string& what) {
  return file.path + ":" + std::to_string(line) + ": " + what;
}

std::string joined(const Complaints& complaints) {
  std::string text;
  for (const std::string& each : complaints) text += each + "\n";
  return text;
}

const Parts& parts_of(const std::string& text) {
  static std::unordered_map<std::string, Parts> known;
  const auto [at, is_new] = known.try_emplace(text);
  if (is_new) at->second = Splitter(text).split();
  return at->second;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t line_at(std::string_view text, std::size_t position) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
  return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace berth::tidy
