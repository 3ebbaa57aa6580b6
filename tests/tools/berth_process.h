#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace berth::tools {

struct Outcome {
  int exit_code = -1;  // -1: ended by a signal
  std::string out;
  std::string err;
};

// Runs the real `berth`, or the program at another path. Its two outputs go to files, and `input`
// (a file) is its input.
Outcome run_program(const std::vector<std::string>& arguments,
                    const std::filesystem::path& input = "/dev/null",
                    const std::string& program = {});

// A directory that its destructor removes.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Returns the path of the new file.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& file);

// In tests/tools/testdata.
std::string testdata(const std::string& name);

// The words of a command about testdata/reservation after so many cycles, up to its form (-o).
std::vector<std::string> about_reservation(const std::string& command, const std::string& cycles);

}  // namespace berth::tools
