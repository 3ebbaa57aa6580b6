#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "proxy/state.h"

namespace berth::proxy {

// A request that libcurl carries out.
class CurlJob {
 public:
  virtual ~CurlJob() = default;
  // Outside of libcurl's callbacks. `code` is a CURLcode; 0 is success.
  virtual void on_done(int code) = 0;
};

// Connections to upstream: one of libcurl's multi handles, which Asio wakes.
//
// libcurl may not be called back from its own callbacks. So nothing that a callback reaches calls
// this pool or a handle in it; what must be done is posted.
class CurlPool {
 public:
  CurlPool(ProxyState& state, std::size_t max_connections, bool shares_connections);
  ~CurlPool();
  CurlPool(const CurlPool&) = delete;
  CurlPool& operator=(const CurlPool&) = delete;

  // `easy` is a CURL*. `job` must live until it is done or removed.
  bool add(void* easy, CurlJob& job);
  void remove(void* easy);

  std::size_t jobs() const { return jobs_; }  // under way or waiting for a connection

 private:
  friend struct PoolCallbacks;
  struct Watch;

  void watch(int socket, int what);
  void replace_watch(int socket);
  std::shared_ptr<Watch> make_watch(int socket);
  void arm(const std::shared_ptr<Watch>& watched);
  void on_ready(const std::shared_ptr<Watch>& watched, int events);
  void set_timer(long milliseconds);
  void act(int socket, int events);

  ProxyState& state_;
  void* const multi_;  // CURLM*
  boost::asio::steady_timer timer_;
  std::shared_ptr<std::uint64_t> timer_round_ = std::make_shared<std::uint64_t>(0);
  std::map<int, std::shared_ptr<Watch>> watches_;
  std::size_t jobs_ = 0;
};

}  // namespace berth::proxy
