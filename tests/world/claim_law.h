#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "berth/model/claim.h"
#include "world/inhabitants.h"

namespace berth::world {

// Room that others left for a job stays its own until it starts, unless something has happened that
// ends a claim (CLAIM-1, CLAIM-8, CLAIM-11). Judged by the annotation of the group: a claim with
// "+evicted" does not vanish or become younger while the group waits and the room is there.
class ClaimLaw {
 public:
  ClaimLaw(Agenda& agenda, ApiServer& server, const Inhabitants& inhabitants,
           std::function<void(const std::string&)> break_law);

  // An eviction was refused or not answered; its claimant may have to give up.
  void eviction_failed(const std::string& claimant) { group_touched_[claimant] = agenda_.now(); }
  // A plan of its job has failed, and gives all back.
  void binding_failed(const std::string& pod_uid);
  // Once a second, in steering mode `view`. In the other, a new leader takes over nominations of
  // plans that have ended, and these may take such room.
  void second();

 private:
  // Room that others left for a job, and which it does not claim any more.
  struct Lost {
    std::string group;
    WrittenClaims claims;
    TimePoint at;
  };

  void group_changed(const ApiServer::Change& change);
  void pod_changed(const ApiServer::Change& change);
  bool stands(const Lost& lost) const;

  Agenda& agenda_;
  ApiServer& server_;
  const Inhabitants& inhabitants_;
  const std::function<void(const std::string&)> break_law_;
  std::map<std::string, WrittenClaims> claims_;     // by group, as the API has them
  std::map<std::string, std::int32_t> minimums_;    // by group
  std::map<std::string, TimePoint> node_touched_;   // by node
  std::map<std::string, TimePoint> group_touched_;  // by group: its pods or its minimum changed
  std::vector<Lost> lost_;
};

}  // namespace berth::world
