#include "extender/guard.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

namespace berth::extender {

namespace {

struct Loss {
  std::int32_t members = 0;
  std::map<std::uint16_t, std::int32_t> by_role;
};

// GUARD-4, GUARD-5.
bool is_too_much(const ports::GuardedGang& gang, const Loss& loss) {
  if (loss.members >= gang.on_nodes) return false;
  if (gang.placed - loss.members < gang.minimum) return true;
  return std::any_of(loss.by_role.begin(), loss.by_role.end(), [&](const auto& each) {
    const auto& [index, members] = each;
    if (index >= gang.roles.size()) return false;
    const ports::GuardedGang::Role& role = gang.roles[index];
    return role.placed - members < role.minimum;
  });
}

}  // namespace

// GUARD-6. Looks for the members of this node among the victims, so what we do not know does not
// count, and what is named twice counts once.
bool would_break_a_gang(const ports::GuardTable& guard, const NodeVictims& node) {
  const ports::GuardedMembers* members = guard.members_on(node.node);
  if (members == nullptr || node.pod_uids.empty()) return false;
  std::vector<std::string_view> victims(node.pod_uids.begin(), node.pod_uids.end());
  std::sort(victims.begin(), victims.end());
  std::map<std::uint32_t, Loss> losses;
  for (const ports::GuardedMember& member : members->list) {
    if (!std::binary_search(victims.begin(), victims.end(), members->uid_of(member))) continue;
    Loss& loss = losses[member.gang];
    ++loss.members;
    ++loss.by_role[member.role];
  }
  return std::any_of(losses.begin(), losses.end(), [&](const auto& each) {
    return is_too_much(guard.gangs[each.first], each.second);
  });
}

}  // namespace berth::extender
