#pragma once

#include <functional>

#include "berth/base/clock.h"
#include "daemon/core.h"
#include "daemon/page_access.h"
#include "http/message.h"
#include "http/router.h"
#include "page/stream.h"

namespace berth::daemon {

// The page at /page/ (docs/design/page.md): its files, and the state of the cluster.
class Page {
 public:
  // Wraps a handler, and lets those pass that may see the page.
  using Guard = std::function<http::Handler(SeenHandler)>;

  // The core must outlive it, and must have a feed.
  Page(Core& core, const Clock& real_clock);

  // Before the server starts. All of the page is behind the guard.
  void add_routes(http::Router& router, const Guard& guard);
  void start() { stream_.start(); }
  // Requests that wait are answered. Before the servers stop.
  void stop() { stream_.stop(); }

 private:
  page::Stream stream_;
};

}  // namespace berth::daemon
