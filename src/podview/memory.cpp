#include "podview/memory.h"

#include <algorithm>
#include <utility>

namespace berth::podview {

namespace {

using Stage = ports::Attempts::Stage;

bool is_number(std::string_view text) {
  return text.find_first_not_of("0123456789") == text.npos && !text.starts_with('0');
}

Result<std::string> bytes_of(const std::string& key, const SeenPod& pod) {
  if (pod.name.empty() || pod.uid.empty()) {
    return Error{"a pod without name or uid, expected both", key};
  }
  auto bytes = podview::held(pod);
  if (!bytes) return Error{bytes.error().message, "pod " + key};
  return bytes;
}

}  // namespace

bool is_managed(const Managed& schedulers, std::string_view scheduler) {
  return std::find(schedulers.begin(), schedulers.end(), scheduler) != schedulers.end();
}

bool waits(const Managed& schedulers, const SeenPod& pod) {
  return pod.node.empty() && is_managed(schedulers, pod.scheduler);
}

void set_key(std::string& key, std::string_view name_space, std::string_view name) {
  key.assign(name_space).append("/").append(name);
}

bool is_later(std::string_view version, std::string_view other) {
  if (!is_number(version) || !is_number(other)) return true;
  if (version.size() != other.size()) return version.size() > other.size();
  return version >= other;
}

Memory Memory::listing_again(Memory before) {
  Memory next;
  if (!before.is_whole) {
    next.former = std::move(before.former);  // the client has thrown away what it got since
    return next;
  }
  for (const std::string& key : before.shown) {
    HeldPod& pod = before.pods.find(key)->second;
    pod.bytes = {};
    next.former.pods.emplace(key, std::move(pod));
  }
  return next;
}

const HeldPod* Memory::find(std::string_view name_space, std::string_view name) const {
  std::string key;
  set_key(key, name_space, name);
  const auto was = former.pods.find(key);
  if (was != former.pods.end()) return &was->second;
  const auto found = pods.find(key);
  return found == pods.end() ? nullptr : &found->second;
}

Result<HeldPod*> Memory::hold(const std::string& key, const SeenPod& pod) {
  auto bytes = bytes_of(key, pod);
  if (!bytes) return bytes.error();
  HeldPod& held = pods[key];
  held.uid = pod.uid;
  held.bytes = std::move(*bytes);
  held.is_gated = pod.is_gated;
  held.is_terminating = pod.is_terminating;
  return &held;
}

void Memory::show(const std::string& key, HeldPod& pod, const ports::ShownPod& as) {
  pod.node = as.node;
  pod.attempt = as.attempt;
  pod.is_nominated = as.is_nominated;
  pod.asks_filter = as.asks_filter;
  pod.is_shown = true;
  shown.insert(key);
}

// kube-scheduler's store is by name. It takes another pod under a name that it has for a change of
// the old one, and ends itself if that one is bound elsewhere. Of a pod that has not changed since
// the client's version, the client has this one under the name, or none.
bool Memory::may_be_new(const std::string& key, const SeenPod& pod) const {
  if (former.version.empty() || is_later(former.version, pod.version)) return false;
  const auto was = former.pods.find(key);
  return was == former.pods.end() || was->second.uid != pod.uid;
}

Status Memory::leave_out(const std::string& key, const SeenPod& pod) {
  auto bytes = bytes_of(key, pod);
  if (!bytes) return bytes.error();
  left_out[key] = std::move(*bytes);
  return Done{};
}

// VIEW-6: a list is a DELETED of what it has not, and a MODIFIED of what the client knew. The
// latter wakes nobody, so a pod that moves is left out and added after the list, and so is one that
// is new to a client (VIEW-14). VIEW-5: a pod that is being bound stays as it was, and one that was
// withdrawn is added when its attempt has ended.
std::optional<ports::ShownPod> Memory::listed(const std::string& key, const HeldPod& pod,
                                              const ports::ShownPods& table,
                                              const ports::Attempts& attempts) const {
  const auto found = former.pods.find(key);
  const bool was_shown = found != former.pods.end() && found->second.uid == pod.uid;
  const Stage stage = attempts.of(pod.uid);
  if (was_shown && stage == Stage::binding) {
    const HeldPod& was = found->second;
    return ports::ShownPod{pod.uid,        "", "", was.node, was.is_nominated, was.attempt,
                           was.asks_filter};
  }
  const ports::ShownPod* as = table.find(pod.uid);
  if (as == nullptr || pod.is_gated) return std::nullopt;
  if (was_shown) return as->attempt == found->second.attempt ? std::optional(*as) : std::nullopt;
  const bool is_new = !former.version.empty();  // to a client that has other pods
  if (is_new || stage != Stage::none || pod.is_terminating) return std::nullopt;
  return *as;
}

void Memory::forget(const std::string& key) {
  shown.erase(key);
  pods.erase(key);
}

// VIEW-4
void Memory::see(std::string_view version) {
  if (!version.empty() && is_later(version, version_seen)) version_seen = version;
}

std::size_t Memory::bytes() const {
  constexpr std::size_t kNode = sizeof(std::pair<std::string, HeldPod>) + 2 * sizeof(void*);
  std::size_t sum = 0;
  for (const auto& [key, pod] : pods) {
    sum += kNode + key.capacity() + pod.uid.capacity() + pod.bytes.capacity();
  }
  for (const auto& [key, bytes] : left_out) sum += kNode + key.capacity() + bytes.capacity();
  return sum;
}

}  // namespace berth::podview
