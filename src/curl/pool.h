#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "curl/transfer.h"

namespace berth::curl {

struct PoolOptions {
  Connections connections = Connections::own;
  std::size_t most_connections = 0;  // 0: no limit; transfers beyond wait
  std::size_t most_kept = 256;       // idle ones
  std::function<void()> on_connect = {};
  std::function<void(const std::string&)> on_notice = {};  // for an operator
  // Before libcurl goes on; it may remove transfers.
  std::function<void()> before_step = {};
};

// Transfers under way and their connections: one of libcurl's multi handles, which Asio wakes. The
// context's thread.
//
// libcurl may not be called back from its own callbacks. So nothing that a callback reaches calls
// this pool or a handle in it; what must be done is posted.
class Pool {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Pool(boost::asio::io_context& context, PoolOptions options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // The transfer must live until it is done or removed. False: no memory.
  bool add(Transfer& transfer);
  void remove(Transfer& transfer);

  std::size_t transfers() const { return transfers_; }  // under way or waiting for a connection
  void limit_connections(std::size_t most);

  // API-2: a connection that transfers share is not closed when one of them is given up. If its
  // server is gone without a word, each later one would be lost on it, too. So the connection is
  // broken if it has brought no answer since then.
  void note_answer(const Transfer& transfer);
  void break_if_silent(const Transfer& transfer, Time since);

 private:
  friend struct PoolCallbacks;
  struct Watch;

  curl_socket_t open(const curl_sockaddr& address);
  int close(int socket);
  void watch(int socket, int what);
  void replace_watch(int socket);
  std::shared_ptr<Watch> make_watch(int socket);
  void arm(const std::shared_ptr<Watch>& watched);
  void on_ready(const std::shared_ptr<Watch>& watched, int events);
  void set_timer(long milliseconds);
  void act(int socket, int events);

  boost::asio::io_context& context_;
  const PoolOptions options_;
  CURLM* const multi_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<std::uint64_t> timer_round_ = std::make_shared<std::uint64_t>(0);
  std::map<int, std::shared_ptr<Watch>> watches_;
  std::set<int> sockets_;
  std::map<int, Time> answered_;  // by local port
  std::size_t transfers_ = 0;
  std::size_t most_connections_ = 0;
};

}  // namespace berth::curl
