#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "embedded/api_server.h"
#include "world/agenda.h"

namespace berth::world {

// As cluster-autoscaler: adds nodes for pods that say they are unschedulable, and drains and
// removes those of its nodes that are idle. It knows no gangs, locks and claims.
class Autoscaler {
 public:
  Autoscaler(Agenda& agenda, embedded::ApiServer& server) : agenda_(agenda), server_(server) {}

  void begin();
  // It removes nodes that nobody needs, and drains no others.
  void calm() { is_calm_ = true; }

 private:
  void look();
  std::size_t count_missing() const;
  void add_node();
  void look_at_idle();
  void remove(const std::string& node);
  bool is_ready(const NodeObject& node) const;

  Agenda& agenda_;
  embedded::ApiServer& server_;
  Duration patience_{};                          // with an idle node
  std::map<std::string, TimePoint> idle_since_;  // nodes of its own
  std::size_t coming_ = 0;
  std::uint64_t last_ = 0;
  bool is_calm_ = false;
};

}  // namespace berth::world
