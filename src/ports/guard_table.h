#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ports/by_text.h"
#include "ports/shared_array.h"

// Which pods of ours are where, and what their gangs can spare: what kube-scheduler's own
// preemption is judged by. Part of the published plan, and as immutable.

namespace berth::ports {

// A pod of a PodGroup that is bound to its node and not leaving.
struct GuardedMember {
  std::uint32_t uid_begin = 0;  // in GuardedMembers::uids
  std::uint32_t uid_size = 0;
  std::uint32_t gang = 0;  // index into GuardTable::gangs
  std::uint16_t role = 0;  // index into GuardedGang::roles; beyond its end: no role
};

// Those of one node. Few allocations, because many nodes may have changed after a session.
struct GuardedMembers {
  std::vector<GuardedMember> list;
  std::string uids;  // one after the other

  void add(std::string_view uid, std::uint32_t gang, std::uint16_t role) {
    list.push_back({static_cast<std::uint32_t>(uids.size()), static_cast<std::uint32_t>(uid.size()),
                    gang, role});
    uids += uid;
  }
  std::string_view uid_of(const GuardedMember& member) const {
    return std::string_view(uids).substr(member.uid_begin, member.uid_size);
  }
};

struct GuardedGang {
  struct Role {
    std::int32_t minimum = 0;
    std::int32_t placed = 0;
  };
  std::int32_t minimum = 0;
  std::int32_t placed = 0;    // members that have a place or have done their work
  std::int32_t on_nodes = 0;  // of these, those that have a place
  std::vector<Role> roles;    // empty unless minimums of roles count
};

struct GuardTable {
  std::shared_ptr<const ByText<std::uint32_t>> rows;         // by node; never null
  SharedArray<std::shared_ptr<const GuardedMembers>> nodes;  // by row; null: no members
  SharedArray<GuardedGang> gangs;

  // Null: none, or no such node.
  const GuardedMembers* members_on(std::string_view node) const {
    const auto row = rows->find(node);
    return row == rows->end() ? nullptr : nodes[row->second].get();
  }
};

}  // namespace berth::ports
