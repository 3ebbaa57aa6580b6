#include "podview/pod_stream.h"

#include <utility>
#include <vector>

namespace berth::podview {

using Stage = ports::Attempts::Stage;

PodStream::PodStream(Memory memory, Managed schedulers, const ports::Attempts& attempts,
                     bool has_initial_events)
    : memory_(std::move(memory)),
      codec_(&codec_of(memory_.format)),
      schedulers_(std::move(schedulers)),
      attempts_(&attempts),
      frames_(*codec_),
      is_initial_(has_initial_events),
      has_deferred_(!memory_.shown.empty()) {}

PodStream PodStream::fresh(Format format, Managed schedulers, const ports::Attempts& attempts,
                           bool has_initial_events) {
  return {Memory(format), std::move(schedulers), attempts, has_initial_events};
}

PodStream PodStream::resumed(Memory memory, Managed schedulers, const ports::Attempts& attempts) {
  return {std::move(memory), std::move(schedulers), attempts, false};
}

Status PodStream::take(std::string_view bytes, std::string& out) {
  if (fault_) return *fault_;
  const Status status =
      frames_.take(bytes, [&](std::string_view frame) { return on_frame(frame, out); });
  if (!status) {
    const std::string event = "event " + std::to_string(events_ + 1) + " of a watch of pods";
    const std::string& place = status.error().where;
    fault_ = Error{status.error().message, place.empty() ? event : event + ", " + place};
    return *fault_;
  }
  return status;
}

Status PodStream::on_frame(std::string_view frame, std::string& out) {
  event_.clear();
  if (const Status status = codec_->read_event(frame, event_); !status) return status;
  Status status = Done{};
  switch (event_.type) {
    case EventType::added:
    case EventType::modified:
    case EventType::deleted:
      status = on_pod(frame, out);
      break;
    case EventType::bookmark:
      on_bookmark(frame, out);
      break;
    case EventType::error:
      is_expired_ = is_expired_ || event_.is_expired;
      out += frame;
      break;
    case EventType::other:
      out += frame;
      break;
  }
  if (status) ++events_;
  return status;
}

void PodStream::on_bookmark(std::string_view frame, std::string& out) {
  memory_.see(event_.pod.version);
  if (is_initial_ && event_.ends_initial_events) {
    is_initial_ = false;
    show_all(false, out);  // VIEW-6
  }
  pass(frame, event_.pod.version, out);
}

// VIEW-1: bytes that no rule concerns pass as they came.
void PodStream::pass(std::string_view frame, const std::string& version, std::string& out) {
  out += frame;
  // Until the initial events are over, the client has nothing to go on from.
  if (!is_initial_) memory_.version_sent = version;
}

Status PodStream::on_pod(std::string_view frame, std::string& out) {
  const SeenPod& pod = event_.pod;
  set_key(key_, pod.name_space, pod.name);
  // Initial events come in any order. Their bookmark has the version that counts.
  if (!is_initial_) memory_.see(pod.version);
  const auto held = memory_.pods.find(key_);
  if (held != memory_.pods.end() && held->second.uid != pod.uid) {
    hide(key_, held->second, out);  // another pod has the name now
    memory_.forget(key_);
  }
  if (waits(schedulers_, pod)) return on_waiting(frame, out);
  memory_.forget(key_);
  pass(frame, pod.version, out);
  return Done{};
}

// VIEW-2
Status PodStream::on_waiting(std::string_view frame, std::string& out) {
  if (event_.type == EventType::deleted) {
    const auto held = memory_.pods.find(key_);
    const bool is_shown = held != memory_.pods.end() && held->second.is_shown;
    memory_.forget(key_);
    if (is_shown) pass(frame, event_.pod.version, out);
    return Done{};
  }
  const auto held = memory_.hold(key_, event_.pod);
  if (!held) return held.error();
  HeldPod& pod = **held;
  if (pod.is_shown) {
    emit(EventType::modified, pod, out);
    return Done{};
  }
  const ports::ShownPod* as = is_initial_ || !table_ ? nullptr : table_->find(pod.uid);
  if (as == nullptr || pod.is_gated || pod.is_terminating) return Done{};
  if (attempts_->of(pod.uid) == Stage::none) {
    show(key_, pod, *as, out);
  } else {
    has_deferred_ = true;
  }
  return Done{};
}

void PodStream::emit(EventType type, const HeldPod& pod, std::string& out) {
  const bool has_node = type != EventType::deleted;
  codec_->append_event(
      type, {pod.bytes, memory_.version_seen, has_node ? pod.node : "", pod.is_hint}, out);
  memory_.version_sent = memory_.version_seen;
}

void PodStream::show(const std::string& key, HeldPod& pod, const ports::ShownPod& as,
                     std::string& out) {
  pod.node = as.node;
  pod.attempt = as.attempt;
  pod.is_hint = as.is_hint;
  pod.is_shown = true;
  memory_.shown.insert(key);
  emit(EventType::added, pod, out);
}

void PodStream::hide(const std::string& key, HeldPod& pod, std::string& out) {
  if (!pod.is_shown) return;
  emit(EventType::deleted, pod, out);
  pod.is_shown = false;
  pod.node.clear();
  memory_.shown.erase(key);
}

void PodStream::follow(const std::shared_ptr<const ports::ShownPods>& table, std::string& out) {
  if (table == table_ && !has_deferred_) return;
  table_ = table;
  if (is_initial_ || is_expired_ || fault_) return;
  has_deferred_ = false;
  withdraw(out);
  show_all(true, out);
}

// VIEW-5: kube-scheduler would count the node's room as free if the pod left while it is bound.
void PodStream::withdraw(std::string& out) {
  std::vector<std::string> leaving;
  for (const std::string& key : memory_.shown) {
    const HeldPod& pod = memory_.pods.find(key)->second;
    const ports::ShownPod* as = table_ ? table_->find(pod.uid) : nullptr;
    if (as != nullptr && as->attempt == pod.attempt) continue;
    if (attempts_->of(pod.uid) == Stage::binding) {
      has_deferred_ = true;
    } else {
      leaving.push_back(key);
    }
  }
  for (const std::string& key : leaving) hide(key, memory_.pods.find(key)->second, out);
}

// In the table's order. A pod that kube-scheduler still works on would be discarded by it.
void PodStream::show_all(bool defers, std::string& out) {
  if (!table_) return;
  for (const ports::ShownPod& as : table_->pods) {
    set_key(key_, as.name_space, as.name);
    const auto held = memory_.pods.find(key_);
    if (held == memory_.pods.end() || held->second.uid != as.uid) continue;
    HeldPod& pod = held->second;
    if (pod.is_shown || pod.is_gated || pod.is_terminating) continue;
    if (defers && attempts_->of(pod.uid) != Stage::none) {
      has_deferred_ = true;
    } else {
      show(key_, pod, as, out);
    }
  }
}

std::optional<Memory> PodStream::end() && {
  if (is_initial_ || is_expired_ || fault_) return std::nullopt;
  memory_.is_whole = true;
  return std::move(memory_);
}

}  // namespace berth::podview
