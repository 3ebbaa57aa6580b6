#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "berth/base/result.h"
#include "proxy/connection.h"
#include "proxy/state.h"

namespace berth::proxy {

// Accepts connections, and sweeps them.
class Listener {
 public:
  Listener(ProxyState& state, std::shared_ptr<boost::asio::ssl::context> tls);

  Status listen();
  std::uint16_t port() const { return port_; }

  // On the proxy's thread.
  void start();
  void drain();  // accepts no more; open connections end with their streams
  bool is_empty();
  void cut();  // closes all connections

 private:
  using Acceptor = boost::asio::ip::tcp::acceptor;

  void accept();
  void on_accept(const boost::system::error_code& error, Connection::Socket socket);
  void admit(Connection::Socket socket);
  void pause();
  void sweep_later();
  void forget_closed();
  bool make_room();

  ProxyState& state_;
  const std::shared_ptr<boost::asio::ssl::context> tls_;
  Acceptor acceptor_;
  boost::asio::steady_timer pause_timer_;
  boost::asio::steady_timer sweep_timer_;
  std::uint16_t port_ = 0;
  bool is_starved_ = false;  // of descriptors
  bool is_cut_ = false;
  std::vector<std::weak_ptr<Connection>> connections_;
};

}  // namespace berth::proxy
