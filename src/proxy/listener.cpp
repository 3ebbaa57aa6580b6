#include "proxy/listener.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace berth::proxy {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kPause(50);

}  // namespace

Listener::Listener(ProxyState& state, std::shared_ptr<asio::ssl::context> tls)
    : state_(state),
      tls_(std::move(tls)),
      acceptor_(state.context),
      pause_timer_(state.context),
      sweep_timer_(state.context) {}

Status Listener::listen() {
  const Options& options = state_.options;
  boost::system::error_code error;
  const asio::ip::address address = asio::ip::make_address(options.address, error);
  if (error) return Error{"not an address; expected an IP literal", options.address};
  try {
    const asio::ip::tcp::endpoint endpoint(address, options.port);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(Acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen(asio::socket_base::max_listen_connections);
    port_ = acceptor_.local_endpoint().port();
  } catch (const std::exception& failure) {
    return Error{std::string("cannot listen: ") + failure.what(),
                 options.address + ":" + std::to_string(options.port)};
  }
  return Done{};
}

void Listener::start() {
  accept();
  sweep_later();
}

void Listener::accept() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_accept([this](const boost::system::error_code& error, Connection::Socket socket) {
    on_accept(error, std::move(socket));
  });
}

void Listener::on_accept(const boost::system::error_code& error, Connection::Socket socket) {
  if (!acceptor_.is_open()) return;
  if (error && error != asio::error::connection_aborted) {
    if (!is_starved_) state_.notice("cannot accept connections: " + error.message());
    is_starved_ = true;
    pause();
    return;
  }
  if (!error) {
    is_starved_ = false;
    admit(std::move(socket));
  }
  accept();
}

void Listener::admit(Connection::Socket socket) {
  if (!make_room()) {
    ++state_.counts.connections_refused;
    return;
  }
  ++state_.counts.connections_accepted;
  try {
    const auto connection = std::make_shared<Connection>(state_, std::move(socket), tls_);
    connections_.push_back(connection);
    connection->open();
  } catch (const std::exception& failure) {
    state_.notice(std::string("cannot open a connection: ") + failure.what());
  }
}

// Strangers who never finish a handshake must not keep clients out, so the oldest of them goes.
bool Listener::make_room() {
  forget_closed();
  if (connections_.size() < state_.options.max_connections) return true;
  for (const auto& each : connections_) {
    const auto connection = each.lock();
    if (!connection || connection->is_greeted()) continue;
    ++state_.counts.handshakes_failed;
    connection->close();
    return true;
  }
  return false;
}

void Listener::pause() {
  pause_timer_.expires_after(kPause);
  pause_timer_.async_wait([this](const boost::system::error_code&) { accept(); });
}

// One timer for all deadlines. They are limits against standing still, so they need not be exact.
void Listener::sweep_later() {
  const Options& options = state_.options;
  const Duration least =
      std::min({options.stall_limit, options.handshake_deadline, options.idle_timeout,
                options.watch_slack, options.watch_silence});
  const Duration period =
      std::clamp<Duration>(least / 4, std::chrono::milliseconds(5), std::chrono::seconds(1));
  sweep_timer_.expires_after(std::chrono::duration_cast<Steady::duration>(period));
  sweep_timer_.async_wait([this](const boost::system::error_code& error) {
    // An expired timer cannot be cancelled any more.
    if (error || is_cut_) return;
    forget_closed();
    for (const auto& each : connections_) {
      if (const auto connection = each.lock()) connection->sweep(Steady::now());
    }
    sweep_later();
  });
}

void Listener::forget_closed() {
  std::erase_if(connections_, [](const std::weak_ptr<Connection>& each) {
    const auto connection = each.lock();
    return !connection || connection->is_closed();
  });
}

bool Listener::is_empty() {
  forget_closed();
  return connections_.empty();
}

void Listener::drain() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  pause_timer_.cancel();
  for (const auto& each : connections_) {
    if (const auto connection = each.lock()) connection->drain();
  }
}

void Listener::cut() {
  is_cut_ = true;
  sweep_timer_.cancel();
  for (const auto& each : connections_) {
    if (const auto connection = each.lock()) connection->close();
  }
  connections_.clear();
}

}  // namespace berth::proxy
