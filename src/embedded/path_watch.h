#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/base/result.h"

namespace berth::embedded {

// Notices changes at and below some paths, by inotify. A path may be a file or a directory, and may
// vanish and return. One thread waits; any thread may stop it.
class PathWatch {
 public:
  explicit PathWatch(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  ~PathWatch();
  PathWatch(const PathWatch&) = delete;
  PathWatch& operator=(const PathWatch&) = delete;

  // Called once, before all other members.
  Status open();
  // Watches new directories. Call it before reading the paths again, so that no change is lost.
  Status refresh();
  // Waits for a change and then until `quiet` has passed without one, at most ten times as long.
  // False if stopped.
  bool wait(std::chrono::milliseconds quiet);
  void stop();

 private:
  Status watch(const std::string& directory, const std::string& only);
  // True if one of the arrived events concerns these paths.
  bool take_events();

  std::vector<std::string> paths_;
  int inotify_ = -1;
  int stop_event_ = -1;
  std::set<int> whole_;                           // watched directories of these paths
  std::map<int, std::set<std::string>> parents_;  // their parents, where only these names matter
};

}  // namespace berth::embedded
