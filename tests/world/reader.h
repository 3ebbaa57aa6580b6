#pragma once

#include <functional>
#include <map>
#include <string>

#include "embedded/api_server.h"
#include "ports/event_sink.h"
#include "ports/watch_tap.h"
#include "world/faults.h"

namespace berth::world {

using embedded::ApiServer;
using embedded::Kind;

// The kinds that a berthd of a world reads.
inline constexpr Kind kKinds[] = {Kind::node, Kind::pod, Kind::group, Kind::queue, Kind::budget};

// As berthd's reflector (src/kubeapi/reflector.cpp) behaves for one kind: lists, watches, goes on
// after a cut, and lists again when its version is too old. Events come late, each kind on its own.
class Reader {
 public:
  // `tap` may be null. All must outlive this.
  Reader(Life& life, Network& network, ApiServer& server, Kind kind, ports::EventSink& sink,
         ports::WatchTap* tap, std::function<void()> posted);

  bool is_synced() const { return is_synced_; }
  bool is_behind() const { return is_synced_ && is_listing_; }
  // The server has something new.
  void wake();

 private:
  void list();
  void deliver();
  void hand_on(const ApiServer::Change& change);

  Life& life_;
  Network& network_;
  ApiServer& server_;
  const Kind kind_;
  ports::EventSink& sink_;
  ports::WatchTap* const tap_;
  const std::function<void()> posted_;
  std::map<std::string, ApiServer::Change> known_;  // by key
  std::uint64_t version_ = 0;
  bool is_synced_ = false;
  bool is_listing_ = false;
  bool is_on_its_way_ = false;  // a delivery
  bool is_cut_ = false;
};

}  // namespace berth::world
