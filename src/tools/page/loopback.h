#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "berth/base/result.h"
#include "http/http_client.h"
#include "http/http_server.h"

namespace berth::tools {

// berthd's page at a loopback address, for browsers of this machine.
class Loopback {
 public:
  static constexpr std::size_t kStatesAtOnce = 12;  // requests that wait at berthd
  static constexpr std::size_t kFilesAtOnce = 4;
  static constexpr std::size_t kWaitingMost = 64;  // for each of these

  Loopback() = default;
  ~Loopback();  // gives up what waits at berthd
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;

  // 0: any port that is free.
  Status start(std::uint16_t port);
  std::string url() const;  // "http://127.0.0.1:8893/page/"

  // berthd from now on. Null: it cannot be reached, because of `why`. Any thread.
  void set_berthd(std::shared_ptr<http::HttpClient> berthd, std::string why = {});
  // Whether berthd has refused a request with 401 since this was last asked.
  bool was_refused() { return was_refused_.exchange(false); }

 private:
  struct Order {
    std::string target;
    http::Responder responder;
    std::stop_source left;  // its client has
  };
  // Guarded by mutex_.
  struct Line {
    std::condition_variable news;
    std::deque<Order> orders;
  };

  void take(const http::Request& request, http::Responder responder);
  void run(Line& line);
  http::Response ask(const Order& order);

  std::unique_ptr<http::HttpServer> server_;
  std::vector<std::thread> threads_;
  std::atomic<bool> was_refused_ = false;
  std::mutex mutex_;  // guards what follows
  Line states_;       // these wait for long, and files wait for none of them
  Line files_;
  std::shared_ptr<http::HttpClient> berthd_;
  std::string why_ = "it has not been reached yet";
  bool is_ended_ = false;
};

}  // namespace berth::tools
