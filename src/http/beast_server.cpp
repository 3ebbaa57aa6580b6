#include <boost/asio/executor_work_guard.hpp>
#include <exception>
#include <future>
#include <thread>
#include <utility>

#include "berth/base/thread_name.h"
#include "http/beast_listener.h"

namespace berth::http {

// Anybody who reaches the port may open connections and send nothing. If these kept their slots,
// the kubelet's probes would find none, and berthd would be killed. So the newest comer is served.
// Nor may they cost kube-scheduler its idle connections, so clients with a certificate lose later.
bool ServerState::make_room() {
  std::shared_ptr<Connection> loser;
  {
    const std::lock_guard lock(mutex_);
    if (turns_.size() < options.max_connections) return true;
    const auto first = turns_.begin();
    if (first == turns_.end() || first->first.first == Phase::handling) return false;
    Slot& slot = connections_.at(first->second);
    slot.is_lost = true;
    loser = slot.connection.lock();
    turns_.erase(first);
  }
  ++counts.connections_displaced;
  if (loser) loser->cut();
  return true;
}

bool ServerState::add(const std::shared_ptr<Connection>& connection) {
  const std::lock_guard lock(mutex_);
  if (is_draining()) return false;
  const std::pair turn(Phase::receiving_from_stranger, ++last_turn_);
  connections_.emplace(connection.get(), Slot{connection, turn});
  turns_.emplace(turn, connection.get());
  counts.connections_open = connections_.size();
  return true;
}

void ServerState::remove(const Connection* connection) {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  if (!found->second.is_lost) turns_.erase(found->second.turn);
  connections_.erase(found);
  counts.connections_open = connections_.size();
  if (connections_.empty()) emptied_.notify_all();
}

bool ServerState::enter(const Connection* connection, Phase phase) {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(connection);
  if (found == connections_.end() || found->second.is_lost) return false;
  turns_.erase(found->second.turn);
  found->second.turn = {phase, ++last_turn_};
  turns_.emplace(found->second.turn, connection);
  return true;
}

std::vector<std::shared_ptr<Connection>> ServerState::connections() const {
  std::vector<std::shared_ptr<Connection>> all;
  const std::lock_guard lock(mutex_);
  all.reserve(connections_.size());
  for (const auto& [key, slot] : connections_) {
    if (auto alive = slot.connection.lock()) all.push_back(std::move(alive));
  }
  return all;
}

void ServerState::begin_draining() {
  const std::lock_guard lock(mutex_);
  draining_ = true;
}

bool ServerState::wait_until_empty(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return emptied_.wait_until(lock, deadline, [this] { return connections_.empty(); });
}

void ServerState::notice(const std::string& message) const {
  if (options.on_notice) options.on_notice(message);
}

namespace {

namespace asio = boost::asio;

// A limit for steps that should take no time: closing cut connections, ending idle threads.
constexpr std::chrono::seconds kGrace(1);

void run(const std::shared_ptr<ServerState>& state) {
  for (;;) {
    try {
      state->context.run();
      return;
    } catch (const std::exception& failure) {
      ++state->counts.handler_failures;
      state->notice(std::string("i/o thread caught: ") + failure.what());
    }
  }
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(ServerOptions options, Handler handler)
      : state_(std::make_shared<ServerState>(std::move(options), std::move(handler))),
        guard_(asio::make_work_guard(state_->context)) {}

  ~BeastServer() override { static_cast<void>(stop(Duration::zero())); }

  Status start() override {
    auto listener = std::make_shared<Listener>(state_);
    if (Status listening = listener->listen(); !listening) return listening;
    listener_ = std::move(listener);
    // The last thread that drops its part says so, and stop() can wait for that with a deadline.
    const auto gone = std::make_shared<std::promise<void>>();
    const std::shared_ptr<void> part(nullptr, [gone](void*) { gone->set_value(); });
    all_gone_ = gone->get_future();
    for (std::size_t i = 0; i < state_->options.io_threads; ++i) {
      threads_.emplace_back([state = state_, mine = part]() mutable {
        name_thread("server");
        run(state);
        mine.reset();
      });
    }
    listener_->start();
    return Done{};
  }

  std::uint16_t port() const override { return listener_ ? listener_->port() : std::uint16_t{0}; }

  Status stop(Duration deadline) override {
    if (threads_.empty()) return Done{};
    const auto until = Steady::now() + std::chrono::duration_cast<Steady::duration>(deadline);
    listener_->close();
    state_->begin_draining();
    for (const auto& connection : state_->connections()) connection->drain();
    if (!state_->wait_until_empty(until)) {
      for (const auto& connection : state_->connections()) connection->cut();
    }
    // With every connection closed, the context has nothing left to do and its threads end. A
    // thread stuck in a handler is left behind, and ends if the handler ever returns.
    guard_.reset();
    const bool all_gone = all_gone_.wait_for(kGrace) == std::future_status::ready;
    for (std::thread& thread : threads_) all_gone ? thread.join() : thread.detach();
    threads_.clear();
    if (all_gone) return Done{};
    return Error{"a request handler does not return", "http server"};
  }

  ServerCounts counts() const override { return state_->counts; }

 private:
  const std::shared_ptr<ServerState> state_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  std::shared_ptr<Listener> listener_;
  std::future<void> all_gone_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<HttpServer> make_http_server(ServerOptions options, Handler handler) {
  return std::make_unique<BeastServer>(std::move(options), std::move(handler));
}

}  // namespace berth::http
