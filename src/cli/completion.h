#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

// Completion of a command line. The shells' scripts ask the program itself, by `__complete`.

namespace berth::cli {

struct Candidate {
  std::string word;
  std::string help;
  bool operator==(const Candidate&) const = default;
};

struct Completion {
  std::vector<Candidate> candidates;
  bool is_file = false;  // the shell completes names of files
};

// The names that a flag or positional of this type has, such as "QUEUE". May be slow.
using NameSource = std::function<std::vector<std::string>(const std::string& type)>;

// `words` are those behind the program's name; the last is the one to complete, perhaps empty.
Completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const NameSource& names = {});

// In the form of cobra's `__complete`, which kubectl asks for: a line "word TAB help" for each,
// then
// ":0" if the shell may complete files, else ":4".
std::string completion_lines(const Completion& completion);

// The script for bash, zsh or fish; none for another shell.
std::optional<std::string> completion_script(const std::string& shell, const std::string& program);

}  // namespace berth::cli
