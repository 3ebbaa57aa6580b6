#include "podview/pod_list.h"

#include <algorithm>
#include <vector>

namespace berth::podview {

namespace {

struct Shown {
  std::size_t position = 0;  // in the table
  const HeldPod* pod = nullptr;
};

}  // namespace

Result<std::string> filter_list(std::string body, const Managed& schedulers,
                                const ports::ShownPods& table, const ports::Attempts& attempts,
                                Memory& memory) {
  std::vector<Shown> shown;
  bool stays_whole = true;
  std::string key;
  const auto stays = [&](const SeenPod& pod) -> Result<bool> {
    set_key(key, pod.name_space, pod.name);
    const bool is_waiting = waits(schedulers, pod);
    if (!is_waiting && !memory.may_be_new(key, pod)) return true;
    stays_whole = false;
    if (!is_waiting) {
      const Status kept = memory.leave_out(key, pod);
      return kept ? Result<bool>(false) : kept.error();
    }
    const auto held = memory.hold(key, pod);
    if (!held) return held.error();
    const auto as = memory.listed(key, **held, table, attempts);
    if (!as) return false;
    memory.show(key, **held, *as);
    const auto found = table.by_uid.find((*held)->uid);
    shown.push_back({found == table.by_uid.end() ? table.pods.size() : found->second, *held});
    return false;
  };
  const auto parts = read_list(body, stays);
  if (!parts) {
    const std::string& place = parts.error().where;
    return Error{parts.error().message, "a list of pods" + (place.empty() ? "" : ", " + place)};
  }
  if (!parts->is_of_pods) return body;
  memory.see(parts->version);
  memory.version_sent = memory.version_seen;
  memory.is_whole = !parts->has_more_pages;
  if (memory.is_whole) memory.former = {};
  if (stays_whole) return body;

  std::sort(shown.begin(), shown.end(),
            [](const Shown& left, const Shown& right) { return left.position < right.position; });
  std::vector<CopyOf> copies;
  for (const Shown& each : shown) {
    // VIEW-4: a client that knows the pod ignores an item with the version that it has already.
    copies.push_back({each.pod->bytes, parts->version, each.pod->node, each.pod->is_nominated,
                      each.pod->asks_filter});
  }
  rewrite_list(body, *parts, copies);
  return body;
}

}  // namespace berth::podview
