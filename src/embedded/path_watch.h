#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/base/result.h"

namespace berth::embedded {

// Notices changes at and below some paths, by inotify. A path may be a file or a directory, and may
// vanish and come back. One thread waits; any thread may stop it.
class PathWatch {
 public:
  explicit PathWatch(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  ~PathWatch();
  PathWatch(const PathWatch&) = delete;
  PathWatch& operator=(const PathWatch&) = delete;

  // Once, before the rest.
  Status open();
  // Takes in directories that are new; to be called before the paths are read again, so that
  // nothing falls between.
  Status refresh();
  // Waits until something changed and then was quiet for `quiet`, for ten times that at most.
  // False: stopped.
  bool wait(std::chrono::milliseconds quiet);
  void stop();

 private:
  Status watch(const std::string& directory, const std::string& only);
  // True if one of the events that have arrived is ours.
  bool take_events();

  std::vector<std::string> paths_;
  int inotify_ = -1;
  int stop_event_ = -1;
  std::set<int> whole_;                           // watched directories of ours
  std::map<int, std::set<std::string>> parents_;  // and theirs, where only these names matter
};

}  // namespace berth::embedded
