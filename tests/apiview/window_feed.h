#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "apiview/api_server.h"
#include "podview/pod_window.h"

namespace berth::apiview::testing {

// As berthd's reflector: lists pods, and puts what happens to them into a window.
class WindowFeed {
 public:
  WindowFeed(const ApiServer& server, std::size_t most) : server_(server), window_(most) {
    window_.on_news([this] { has_news_ = true; });
    list();
  }

  podview::PodWindow& window() { return window_; }
  bool take_news() { return std::exchange(has_news_, false); }
  void list() {
    version_ = server_.version;
    window_.listed(std::to_string(version_));
  }
  // Until `stops` says so, then with a bookmark.
  void watch(const std::function<bool()>& stops) {
    for (const ApiServer::Change& change : server_.changes) {
      if (change.version <= version_) continue;
      if (stops()) return;
      version_ = change.version;
      window_.event(std::to_string(version_), podview::testing::event(change.type, change.pod));
    }
    if (stops()) return;
    const std::string version = std::to_string(server_.version);
    window_.event(version, podview::testing::bookmark(version));
  }

 private:
  const ApiServer& server_;
  podview::PodWindow window_;
  bool has_news_ = false;
  std::uint64_t version_ = 0;
};

}  // namespace berth::apiview::testing
