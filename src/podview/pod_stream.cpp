#include "podview/pod_stream.h"

#include <utility>
#include <vector>

#include "berth/base/check.h"

namespace berth::podview {

using Stage = ports::Attempts::Stage;

PodStream::PodStream(Memory memory, Managed schedulers, const ports::Attempts& attempts)
    : memory_(std::move(memory)),
      schedulers_(std::move(schedulers)),
      attempts_(&attempts),
      has_deferred_(!memory_.shown.empty()) {}

PodStream PodStream::listing(Memory memory, Managed schedulers, const ports::Attempts& attempts) {
  return {std::move(memory), std::move(schedulers), attempts};
}

PodStream PodStream::fresh(Managed schedulers, const ports::Attempts& attempts) {
  Memory memory;
  memory.is_whole = true;
  return {std::move(memory), std::move(schedulers), attempts};
}

PodStream PodStream::resumed(Memory memory, Managed schedulers, const ports::Attempts& attempts) {
  BERTH_CHECK(memory.can_resume());
  return {std::move(memory), std::move(schedulers), attempts};
}

template <class Take>
Status PodStream::take_events(std::string& out, Take&& take_them) {
  if (fault_) return *fault_;
  add_left_out(out);
  const Status status = take_them();
  if (!status) {
    const std::string event = "event " + std::to_string(events_ + 1) + " of a watch of pods";
    const std::string& place = status.error().where;
    fault_ = Error{status.error().message, place.empty() ? event : event + ", " + place};
    return *fault_;
  }
  return status;
}

Status PodStream::take(std::string_view bytes, std::string& out) {
  return take_events(out, [&] {
    return frames_.take(bytes, [&](std::string_view frame) { return on_frame(frame, out); });
  });
}

// To a client that selects pods that have not ended, one that ends is deleted.
Status PodStream::take_of_all(std::string_view frame, std::string& out) {
  return take_events(out, [&]() -> Status {
    event_ = {};
    if (const Status status = read_event(frame, event_); !status) return status;
    const bool is_left = event_.type == EventType::added || event_.type == EventType::modified;
    const SeenPod& pod = event_.pod;
    if (!pod.is_ended) return on_event(frame, out);
    if (is_left && memory_.ended.emplace(pod.uid).second) {
      event_.type = EventType::deleted;
      return on_event(deleted_event(pod), out);
    }
    // It ended before, so the client does not have it.
    if (!is_left) memory_.ended.erase(std::string(pod.uid));
    memory_.see(pod.version);
    return Done{};
  });
}

void PodStream::expire(std::string& out) {
  memory_.is_expired = true;
  out += expired_event();
}

Status PodStream::on_frame(std::string_view frame, std::string& out) {
  if (has_failed_) return Done{};
  event_ = {};
  if (const Status status = read_event(frame, event_); !status) return status;
  return on_event(frame, out);
}

Status PodStream::on_event(std::string_view frame, std::string& out) {
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
      memory_.is_expired = memory_.is_expired || event_.is_expired;
      has_failed_ = !memory_.is_whole && !memory_.former.version.empty();
      if (!has_failed_) out += frame;
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
  const bool ends_list = !memory_.is_whole && event_.ends_initial_events;
  if (ends_list) {
    memory_.is_whole = true;
    show_listed(out);  // VIEW-6
  }
  pass(frame, event_.pod.version, out);
  if (ends_list) catch_up(out);
}

// VIEW-1: bytes that no rule concerns pass as they came.
void PodStream::pass(std::string_view frame, std::string_view version, std::string& out) {
  out += frame;
  // Until the initial events are over, the client has nothing to go on from.
  if (memory_.is_whole) memory_.version_sent = version;
}

Status PodStream::on_pod(std::string_view frame, std::string& out) {
  const SeenPod& pod = event_.pod;
  set_key(key_, pod.name_space, pod.name);
  // Initial events come in any order. Their bookmark has the version that counts.
  if (memory_.is_whole) memory_.see(pod.version);
  const auto held = memory_.pods.find(key_);
  if (held != memory_.pods.end() && held->second.uid != pod.uid) {
    hide(key_, held->second, out);  // another pod has the name now
    memory_.forget(key_);
  }
  if (waits(schedulers_, pod)) return on_waiting(frame, out);
  memory_.forget(key_);
  const bool was_left_out = memory_.left_out.erase(key_) > 0;
  if (event_.type == EventType::deleted) {
    if (was_left_out) return Done{};
  } else if (!memory_.is_whole && memory_.may_be_new(key_, pod)) {
    return memory_.leave_out(key_, pod);
  }
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
  const ports::ShownPod* as = memory_.is_whole && table_ ? table_->find(pod.uid) : nullptr;
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
  append_event(type,
               {pod.bytes, memory_.version_seen, has_node ? pod.node : "", pod.is_nominated,
                pod.asks_filter},
               out);
  memory_.version_sent = memory_.version_seen;
}

void PodStream::show(const std::string& key, HeldPod& pod, const ports::ShownPod& as,
                     std::string& out) {
  memory_.show(key, pod, as);
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
  if (!memory_.can_resume() || fault_) return;
  catch_up(out);
}

void PodStream::catch_up(std::string& out) {
  has_deferred_ = false;
  add_left_out(out);
  withdraw(out);
  show_all(out);
}

// VIEW-14: they come before the shown pods, so that kube-scheduler places none of those on room
// that they take.
void PodStream::add_left_out(std::string& out) {
  if (!memory_.is_whole) return;
  for (const auto& [key, bytes] : std::exchange(memory_.left_out, {})) {
    append_event(EventType::added, {bytes, memory_.version_seen, "", false, false}, out);
    memory_.version_sent = memory_.version_seen;
  }
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

template <class OnPod>
void PodStream::each_in_table(OnPod&& on_pod) {
  if (!table_ || !table_->term.holds()) return;
  for (const ports::ShownPod& as : table_->pods) {
    set_key(key_, as.name_space, as.name);
    const auto held = memory_.pods.find(key_);
    if (held != memory_.pods.end() && held->second.uid == as.uid) on_pod(held->second, as);
  }
}

// VIEW-5: kube-scheduler discards a pod that it still works on.
void PodStream::show_all(std::string& out) {
  each_in_table([&](HeldPod& pod, const ports::ShownPod& as) {
    if (pod.is_shown || pod.is_gated || pod.is_terminating) return;
    if (attempts_->of(pod.uid) == Stage::none) {
      show(key_, pod, as, out);
    } else {
      has_deferred_ = true;
    }
  });
}

void PodStream::show_listed(std::string& out) {
  each_in_table([&](HeldPod& pod, const ports::ShownPod&) {
    const auto as = memory_.listed(key_, pod, *table_, *attempts_);
    if (as) show(key_, pod, *as, out);
  });
  for (const auto& [key, was] : memory_.former.pods) {
    const auto held = memory_.pods.find(key);
    if (held == memory_.pods.end() || held->second.is_shown) continue;
    const auto as =
        memory_.listed(key, held->second, table_ ? *table_ : ports::ShownPods(), *attempts_);
    if (as) show(key, held->second, *as, out);
  }
  memory_.former = {};
}

}  // namespace berth::podview
