#pragma once

#include <filesystem>
#include <string>

namespace berth::http::testing {

// A directory that is removed with all its files at the end of the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// A certificate authority made on the spot; its own certificate is written to `ca_file`.
class Authority {
 public:
  Authority(const std::string& name, const std::string& ca_file);
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  // Writes a certificate with that common name, valid for the alternative names (empty: without
  // any), and its key. Files are replaced by renaming, as a mounted secret's are.
  void issue(const std::string& name, const std::string& certificate_file,
             const std::string& key_file,
             const std::string& alternatives = "IP:127.0.0.1,DNS:berth.test") const;

 private:
  struct Pair;
  Pair* own_;
};

}  // namespace berth::http::testing
