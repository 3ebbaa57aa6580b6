#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "http/beast_connection.h"

// The two transports of a connection: a socket, and TLS over a socket.
namespace berth::http {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

// A connection over this stream, whose lowest layer is a socket.
template <class Stream>
class StreamConnection : public Connection {
 protected:
  template <class... Arguments>
  StreamConnection(std::shared_ptr<ServerState> state, Socket socket, Arguments&... arguments)
      : Connection(std::move(state), socket), stream_(std::move(socket), arguments...) {
    ErrorCode ignored;
    this->socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    this->socket().set_option(asio::socket_base::keep_alive(true), ignored);
  }

  auto& socket() { return stream_.lowest_layer(); }
  std::shared_ptr<StreamConnection> self() {
    return std::static_pointer_cast<StreamConnection>(shared_from_this());
  }

  void start_read(asio::mutable_buffer into) override {
    stream_.async_read_some(into, [self = self()](const ErrorCode& error, std::size_t bytes) {
      self->on_read(error, bytes);
    });
  }

  void start_write(asio::const_buffer bytes) override {
    asio::async_write(stream_, bytes, [self = self()](const ErrorCode& error, std::size_t) {
      self->on_write(error);
    });
  }

  void close_socket() override {
    ErrorCode ignored;
    socket().close(ignored);
  }

  Stream stream_;
};

class PlainConnection final : public StreamConnection<Socket> {
 public:
  PlainConnection(std::shared_ptr<ServerState> state, Socket socket)
      : StreamConnection(std::move(state), std::move(socket)) {}

 private:
  void start_handshake() override { on_handshake(true, std::nullopt); }

  void shut_down_sending() override {
    ErrorCode ignored;
    stream_.shutdown(Socket::shutdown_send, ignored);
  }
};

// Before the stream, which needs it to the end.
struct TlsContext {
  std::shared_ptr<asio::ssl::context> context;
};

class TlsConnection final : private TlsContext, public StreamConnection<asio::ssl::stream<Socket>> {
 public:
  TlsConnection(std::shared_ptr<ServerState> state, Socket socket,
                std::shared_ptr<asio::ssl::context> context_in)
      : TlsContext{std::move(context_in)},
        StreamConnection(std::move(state), std::move(socket), *context) {}

 private:
  void start_handshake() override {
    const auto done = [self = self(), this](const ErrorCode& error) {
      on_handshake(!error, error ? std::nullopt : peer_name());
    };
    stream_.async_handshake(asio::ssl::stream_base::server, done);
  }

  std::optional<std::string> peer_name() {
    X509* const certificate = SSL_get1_peer_certificate(stream_.native_handle());
    if (certificate == nullptr) return std::nullopt;
    char name[256];
    const int length = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                                 name, sizeof name);
    X509_free(certificate);
    if (length < 0) return std::string();
    return std::string(name, static_cast<std::size_t>(length));
  }

  void shut_down_sending() override {
    stream_.async_shutdown([self = self()](const ErrorCode&) {});
  }
};

}  // namespace

std::shared_ptr<Connection> make_plain_connection(std::shared_ptr<ServerState> state,
                                                  Socket socket) {
  return std::make_shared<PlainConnection>(std::move(state), std::move(socket));
}

std::shared_ptr<Connection> make_tls_connection(std::shared_ptr<ServerState> state, Socket socket,
                                                std::shared_ptr<asio::ssl::context> context) {
  return std::make_shared<TlsConnection>(std::move(state), std::move(socket), std::move(context));
}

}  // namespace berth::http
