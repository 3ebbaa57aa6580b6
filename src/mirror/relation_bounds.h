#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/model/bounds.h"
#include "berth/model/objects.h"

namespace berth::mirror {

// BOUND-3. How many different relations the pods of each namespace have. A pod that comes when its
// namespace has no room for more is taken in without relations, and is not planned. When there is
// room again, the oldest come first. Session thread only.
class RelationBounds {
 public:
  // The pod as it is taken in. Valid until the next call.
  const PodObject& admitted(const PodObject& pod);
  // The pod has these relations now. False: there is no room, and it keeps those that it has.
  bool exchange(const std::string& uid, const std::string& name_space, const Relations& relations);
  void forget(const std::string& uid);

  // Pods that were left out and for which there is room now, as they came. They must be taken in
  // again.
  std::vector<PodObject> take_readmitted();
  // A line for each pod that was left out since the last call; at most a few.
  std::vector<std::string> take_news();
  std::size_t left_out() const { return left_out_.size(); }

 private:
  using InUse = std::map<Relations, std::uint32_t>;  // how many pods have them
  struct Space {
    InUse in_use;
    bounds::RelationSize size;                                  // of these
    std::set<std::pair<TimePoint, std::string>> left_out = {};  // by creation and uid
  };
  struct Pod {
    std::string name_space;
    InUse::iterator relations;
  };

  bool has_room(const Space& space, const Relations& relations, std::string* why) const;
  void take(const std::string& uid, const std::string& name_space, const Relations& relations);
  void give_back(const std::string& uid);
  void end_leaving_out(const std::string& uid);
  void drop_if_empty(const std::string& name_space);

  std::map<std::string, Space> spaces_;        // by namespace
  std::unordered_map<std::string, Pod> pods_;  // look-up only; by uid, with relations
  std::map<std::string, PodObject> left_out_;  // by uid
  std::set<std::string> with_room_;            // namespaces
  std::vector<std::string> news_;
  std::size_t further_news_ = 0;
  PodObject admitted_;  // the last one that was left out
};

}  // namespace berth::mirror
