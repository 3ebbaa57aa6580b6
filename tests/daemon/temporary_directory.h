#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace berth::daemon {

// A directory that is gone when this is.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = testing::TempDir() + "berth-daemon-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "no temporary directory";
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  // In one step, as `kubectl cp` does not and an editor does. Returns the path.
  std::string write(const std::string& name, const std::string& text) const {
    const std::string made = file("." + name + ".new");
    std::ofstream(made, std::ios::binary) << text;
    std::filesystem::rename(made, path_ / name);
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace berth::daemon
