#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

#include "http/message.h"

namespace berth::http {

// Exact path and method to handler. Unknown path: 404; known path, other method: 405 with `Allow`.
class Router {
 public:
  // Must be called before the first route(). A path and method may be added once.
  void add(std::string method, std::string path, Handler handler);

  // Any thread. A handler's exception ends here: it is counted and answered with 500.
  void route(const Request& request, Responder responder) const;

  // This router as a server's handler; it must outlive the server.
  Handler handler() const;

  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

 private:
  using Methods = std::map<std::string, Handler>;
  std::map<std::string, Methods, std::less<>> routes_;
  mutable std::atomic<std::uint64_t> failures_ = 0;
};

}  // namespace berth::http
