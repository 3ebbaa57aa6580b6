#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "http/message.h"

namespace berth::daemon {

// Makes pages on a thread of its own: a page of thousands of queues takes a second, and a probe
// must not wait for it. Requests for one page that wait together get one and the same.
class PageMaker {
 public:
  using Make = std::function<http::Response()>;
  static constexpr std::size_t kWaitingMost = 16;  // for each page; further ones get 503

  PageMaker() : thread_([this] { run(); }) {}
  ~PageMaker();  // requests that wait get 503
  PageMaker(const PageMaker&) = delete;
  PageMaker& operator=(const PageMaker&) = delete;

  // Returns at once. `make` may throw, which is a 500. Any thread.
  void answer(const std::string& page, Make make, http::Responder responder);

 private:
  struct Order {
    std::string page;
    Make make;
    std::vector<http::Responder> responders;
  };

  void run();

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Order> orders_;  // one for each page
  bool is_ended_ = false;
  std::thread thread_;
};

}  // namespace berth::daemon
