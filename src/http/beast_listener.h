#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <memory>

#include "berth/base/result.h"
#include "http/beast_connection.h"
#include "http/tls_credentials.h"

namespace berth::http {

// Accepts connections up to the cap and makes connections of them. Out of descriptors, it waits
// instead of spinning on the backlog.
class Listener : public std::enable_shared_from_this<Listener> {
 public:
  explicit Listener(std::shared_ptr<ServerState> state);

  Status listen();
  std::uint16_t port() const { return port_; }
  void start();
  void close();  // any thread

 private:
  using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Strand>;

  void accept();
  void on_accept(const boost::system::error_code& error, Socket socket);
  void admit(Socket socket);
  void refuse_connection(Socket socket);
  void pause();
  std::shared_ptr<boost::asio::ssl::context> tls_context();

  const std::shared_ptr<ServerState> state_;
  const Strand strand_;
  Acceptor acceptor_;
  Timer timer_;
  std::unique_ptr<TlsCredentials> credentials_;  // null: plain
  std::uint16_t port_ = 0;
  bool starved_ = false;  // the last accept failed for want of descriptors or memory
};

}  // namespace berth::http
