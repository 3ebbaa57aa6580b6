#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "berth/base/clock.h"
#include "berth/base/result.h"

namespace berth::history {

// A line to write.
struct Entry {
  std::string line;   // without its end; empty: a file is begun, if there is none
  std::string about;  // the node or queue, whose earlier line it replaces; empty: a job
  bool is_gone = false;
  TimePoint time;
};

// HISTORY-2, HISTORY-3. The files of one run of berthd. Each begins with all nodes and queues.
class Files {
 public:
  static constexpr std::uint64_t kParts = 8;  // a file takes this part of all

  // `bytes`: of all files in the directory.
  Files(std::filesystem::path directory, std::uint64_t bytes, TimePoint begun);
  ~Files();
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  // After an Error the entry is lost, and the next one begins another file.
  Status add(const Entry& entry);
  // The entry is lost, but what it says of a node or a queue is in the next file.
  void remember(const Entry& entry);

 private:
  Status open(TimePoint time);
  Status make_room() const;
  Status write(const std::string& line);
  void close();
  Error failure(const char* what, int code) const;

  const std::filesystem::path directory_;
  const std::uint64_t bytes_;
  const TimePoint begun_;
  std::map<std::string, std::string> state_;  // lines of nodes and queues, by what they are about
  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t size_of_state_ = 0;  // at its beginning
  std::uint64_t opened_ = 0;         // files so far
};

}  // namespace berth::history
