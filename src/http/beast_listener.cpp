#include "http/beast_listener.h"

#include <sys/socket.h>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <string>
#include <utility>

namespace berth::http {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

constexpr std::chrono::milliseconds kPause(50);

std::string answer_when_full(const ServerOptions& options) {
  std::string answer =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n";
  for (const auto& [name, value] : options.headers) answer += name + ": " + value + "\r\n";
  return answer + "Connection: close\r\nContent-Length: 20\r\n\r\ntoo many connections";
}

}  // namespace

Listener::Listener(std::shared_ptr<ServerState> state)
    : state_(std::move(state)),
      strand_(asio::make_strand(state_->context)),
      acceptor_(strand_),
      timer_(strand_) {}

Status Listener::listen() {
  const ServerOptions& options = state_->options;
  const std::string where = options.address + ":" + std::to_string(options.port);
  if (options.tls) {
    auto loaded = TlsCredentials::load(
        *options.tls, [state = state_.get()](const std::string& text) { state->notice(text); });
    if (!loaded) return loaded.error();
    credentials_ = std::move(*loaded);
    tls_context();
  }
  boost::system::error_code error;
  const asio::ip::address address = asio::ip::make_address(options.address, error);
  if (error) return Error{"not an address; expected an IP literal", options.address};
  try {
    const tcp::endpoint endpoint(address, options.port);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(Acceptor::reuse_address(true));
    if (address.is_v6()) acceptor_.set_option(asio::ip::v6_only(false));
    acceptor_.bind(endpoint);
    acceptor_.listen(asio::socket_base::max_listen_connections);
    port_ = acceptor_.local_endpoint().port();
  } catch (const std::exception& failure) {
    return Error{std::string("cannot listen: ") + failure.what(), where};
  }
  return Done{};
}

void Listener::start() {
  asio::post(strand_, [self = shared_from_this()] { self->accept(); });
}

void Listener::close() {
  asio::post(strand_, [self = shared_from_this()] {
    boost::system::error_code ignored;
    self->acceptor_.close(ignored);
    self->timer_.cancel();
  });
}

void Listener::accept() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_accept(
      asio::make_strand(state_->context),
      asio::bind_executor(strand_, [self = shared_from_this()](
                                       const boost::system::error_code& error, Socket socket) {
        self->on_accept(error, std::move(socket));
      }));
}

void Listener::on_accept(const boost::system::error_code& error, Socket socket) {
  if (!acceptor_.is_open()) return;
  if (!error) {
    starved_ = false;
    admit(std::move(socket));
  } else if (error != asio::error::connection_aborted) {
    if (!starved_) state_->notice("cannot accept connections: " + error.message());
    starved_ = true;
    pause();
    return;
  }
  accept();
}

void Listener::admit(Socket socket) {
  if (!state_->make_room()) {
    refuse_connection(std::move(socket));
    return;
  }
  ++state_->counts.connections_accepted;
  try {
    const std::shared_ptr<Connection> connection =
        credentials_ ? make_tls_connection(state_, std::move(socket), tls_context())
                     : make_plain_connection(state_, std::move(socket));
    if (state_->add(connection)) connection->open();
  } catch (const std::exception& failure) {
    state_->notice(std::string("cannot open a connection: ") + failure.what());
  }
}

void Listener::refuse_connection(Socket socket) {
  ++state_->counts.connections_refused;
  if (credentials_) return;
  const std::string answer = answer_when_full(state_->options);
  // The send buffer of a new socket has room, so this write neither blocks nor is cut short.
  static_cast<void>(
      ::send(socket.native_handle(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  boost::system::error_code ignored;
  socket.shutdown(Socket::shutdown_send, ignored);
}

std::shared_ptr<asio::ssl::context> Listener::tls_context() {
  auto context = credentials_->current();
  state_->counts.certificate_failures = credentials_->failures();
  state_->counts.certificate_expires = credentials_->expires();
  return context;
}

void Listener::pause() {
  timer_.expires_after(kPause);
  timer_.async_wait(
      [self = shared_from_this()](const boost::system::error_code&) { self->accept(); });
}

}  // namespace berth::http
