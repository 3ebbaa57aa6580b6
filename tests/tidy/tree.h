#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// The repository as text, for the gates. A gate is a function of a Tree, so tests can show it a
// small bad one.

namespace berth::tidy {

struct File {
  std::string path;  // from the root of the repository
  std::string text;

  std::vector<std::string> lines() const;
  std::string directory() const;  // without a slash at the end; empty: the root
  std::string stem() const;
  bool is_header() const { return path.ends_with(".h"); }
  bool is_code() const { return is_header() || path.ends_with(".cpp"); }
  bool is_document() const { return path.ends_with(".md"); }
  bool is_below(std::string_view folder) const;
};

struct Tree {
  std::vector<File> files;                           // by path
  std::set<std::string, std::less<>> pictures = {};  // their paths

  const File* find(std::string_view path) const;
  bool has_directory(std::string_view path) const;
};

// All files that people write, without generated ones.
Tree read_tree(const std::string& root);

// A complaint reads "path:line: what". A gate without complaints passes.
using Complaints = std::vector<std::string>;
using Gate = std::function<Complaints(const Tree&)>;
std::string complaint(const File& file, std::size_t line, const std::string& what);
std::string joined(const Complaints& complaints);

// The parts of C++ text. Each is as long as the whole, with blanks for the rest, so positions and
// lines stay the same.
struct Parts {
  std::string code;      // without comments, and with literals emptied
  std::string comments;  // without the slashes
};
// Kept: each gate asks for those of all files.
const Parts& parts_of(const std::string& text);

// 1 for the first.
std::size_t line_at(std::string_view text, std::size_t position);

// A letter, a digit or "_".
bool is_word(char c);

// "a_b" in "x(a_b)" but not in "a_bc". The position, or npos.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);

}  // namespace berth::tidy
