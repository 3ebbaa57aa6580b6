#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "http/http_server.h"

namespace berth::http {

class Connection;

// State that the listener and all connections of one server share. Sessions keep it alive, and so
// do unanswered responders.
class ServerState {
 public:
  ServerState(ServerOptions options_in, Handler handler_in)
      : options(std::move(options_in)),
        handler(std::move(handler_in)),
        context(static_cast<int>(options.io_threads)) {}

  // A connection waits for input, for its peer to read, or for a handler. Connections lose their
  // slots in this order. A stranger is a peer that has shown no client certificate, or not yet:
  // where none is required, anybody can complete a handshake.
  enum class Phase { receiving_from_stranger, receiving, answering, handling };

  // Before add(): closes a connection if all slots are taken. False if none may be closed.
  bool make_room();
  // False if the server is stopping; the connection must close then. It is a stranger's.
  bool add(const std::shared_ptr<Connection>& connection);
  void remove(const Connection* connection);

  // The connection begins to wait for something else, or for the same once more. False if it has
  // lost its slot; it must close then.
  bool enter(const Connection* connection, Phase phase);

  std::vector<std::shared_ptr<Connection>> connections() const;

  // From here on, add() refuses and every answer closes its connection.
  void begin_draining();
  bool is_draining() const { return draining_.load(std::memory_order_relaxed); }

  // Waits until no connection is left. False if the deadline came first.
  bool wait_until_empty(std::chrono::steady_clock::time_point deadline);

  void notice(const std::string& message) const;

  const ServerOptions options;
  const Handler handler;
  boost::asio::io_context context;

  ServerCounts counts;

 private:
  struct Slot {
    std::weak_ptr<Connection> connection;
    std::pair<Phase, std::uint64_t> turn = {};  // the smallest one loses its slot first
    bool is_lost = false;
  };

  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::unordered_map<const Connection*, Slot> connections_;
  std::map<std::pair<Phase, std::uint64_t>, const Connection*> turns_;  // of those with slots
  std::uint64_t last_turn_ = 0;
  std::atomic<bool> draining_ = false;
};

}  // namespace berth::http
