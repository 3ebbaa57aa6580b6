#include "support/world.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "engine/consistency.h"

namespace berth::support {

Result<std::unique_ptr<World>> World::create(const engine::SessionConfig& config) {
  auto warm = engine::Scheduler::create(config);
  if (!warm) return warm.error();
  auto cold = engine::Scheduler::create(config);
  if (!cold) return cold.error();
  const auto has_action = [&](std::string_view name) {
    for (const auto& each : config.actions) {
      if (each.name == name) return true;
    }
    return false;
  };
  const auto has_plugin = [&](std::string_view name) {
    for (const auto& tier : config.tiers) {
      for (const auto& each : tier) {
        if (each.plugin.name == name && each.disabled_points.empty()) return true;
      }
    }
    return false;
  };
  LawBook book;
  book.has_enqueue = has_action("enqueue");
  book.has_allocate = has_action("allocate");
  book.has_backfill = has_action("backfill");
  book.has_gang = has_plugin("gang");
  book.has_predicates = has_plugin("predicates");
  book.has_proportion = has_plugin("proportion");
  book.has_elect = has_action("elect");
  for (const auto& tier : config.tiers) {
    for (const auto& each : tier) {
      if (each.plugin.name != "reservation") continue;
      engine::Arguments arguments = each.arguments;
      book.targets_most = static_cast<std::size_t>(arguments.integer("targets", 1, 1, 1000));
      book.locked_thousandths_most =
          static_cast<std::size_t>(arguments.thousandths("max-locked-nodes", 1000, 1, 1000));
    }
  }
  return std::unique_ptr<World>(
      new World(config, std::move(warm).value(), std::move(cold).value(), book));
}

World::World(engine::SessionConfig config, engine::Scheduler warm, engine::Scheduler cold,
             LawBook book)
    : config_(std::move(config)),
      warm_(std::move(warm)),
      cold_(std::move(cold)),
      book_(book),
      now_(std::chrono::seconds(1'800'000'000)) {}

void World::apply(const ClusterEvent& event) {
  if (const auto* object = std::get_if<PodObject>(&event)) pods_[object->uid] = *object;
  if (const auto* deleted = std::get_if<PodDeleted>(&event)) pods_.erase(deleted->uid);
  note(event);
  mirror_.apply(event);
}

void World::note(const ClusterEvent& event) {
  const auto put = [&](const std::string& key) { others_.insert_or_assign(key, event); };
  std::visit(
      [&](const auto& object) {
        using T = std::decay_t<decltype(object)>;
        if constexpr (std::is_same_v<T, NodeObject>) put("1 " + object.name);
        if constexpr (std::is_same_v<T, QueueObject>) put("2 " + object.name);
        if constexpr (std::is_same_v<T, PriorityClassObject>) put("3 " + object.name);
        if constexpr (std::is_same_v<T, NamespaceObject>) put("4 " + object.name);
        if constexpr (std::is_same_v<T, PodGroupObject>) put("5 " + object.full_name());
        if constexpr (std::is_same_v<T, OwnerObject>) put("6 " + object.uid);
        if constexpr (std::is_same_v<T, NodeDeleted>) others_.erase("1 " + object.name);
        if constexpr (std::is_same_v<T, QueueDeleted>) others_.erase("2 " + object.name);
        if constexpr (std::is_same_v<T, PriorityClassDeleted>) others_.erase("3 " + object.name);
        if constexpr (std::is_same_v<T, NamespaceDeleted>) others_.erase("4 " + object.name);
        if constexpr (std::is_same_v<T, PodGroupDeleted>) others_.erase("5 " + object.full_name);
        if constexpr (std::is_same_v<T, OwnerDeleted>) others_.erase("6 " + object.uid);
      },
      event);
}

std::vector<ClusterEvent> World::objects() const {
  std::vector<ClusterEvent> all;
  const auto marked = [&](JobId id, const TargetMarks& written) {
    if (id.is_valid() && !cluster().job(id).is_ours()) return written;
    TargetMarks marks = id.is_valid() ? marks_of(cluster(), cluster().job(id)) : TargetMarks();
    keep_users_word(marks, written);
    return marks;
  };
  for (const auto& [key, other] : others_) {
    ClusterEvent event = other;
    if (auto* node = std::get_if<NodeObject>(&event)) {
      const NodeId id = cluster().find_node(node->name);
      const Lock lock = id.is_valid() ? cluster().node(id).lock : Lock();
      if (lock.job.is_valid()) {
        node->locked_for = std::string(kLockedForJob) + cluster().job(lock.job).uid;
        node->locked_since = lock.since;
      } else if (!lock.is_foreign) {
        node->locked_for.clear();
      }
    } else if (auto* group = std::get_if<PodGroupObject>(&event)) {
      const JobId id = mirror_.find_group(group->full_name());
      group->marks = marked(id, group->marks);
      group->phase = cluster().job(id).phase;
    }
    all.push_back(std::move(event));
  }
  for (const auto& [uid, pod] : pods_) {
    PodObject object = pod;
    if (object.group.empty() && object.scheduler_name == "berth") {
      object.marks = marked(job(object.full_name()), object.marks);
    }
    all.emplace_back(std::move(object));
  }
  return all;
}

void World::restart() {
  std::vector<ClusterEvent> known = objects();
  if (random_) shuffle(known, *random_);
  mirror_ = mirror::Mirror();
  warm_ = engine::Scheduler::create(config_).value();
  cold_ = engine::Scheduler::create(config_).value();
  planned_.clear();
  for (const ClusterEvent& event : known) mirror_.apply(event);
  mirror_.settle(now_);
  mirror_.restore_claims(now_);
}

void World::apply_all(std::vector<ClusterEvent> events) {
  if (random_) shuffle(events, *random_);
  for (const ClusterEvent& event : events) apply(event);
}

const PodObject* World::pod(const std::string& name) const {
  const auto found = pods_.find(name);
  return found == pods_.end() ? nullptr : &found->second;
}

void World::finish(const std::string& pod, bool succeeds) {
  PodObject object = pods_.at(pod);
  object.phase = succeeds ? PodPhase::succeeded : PodPhase::failed;
  apply(object);
}

void World::terminate(const std::string& pod) {
  std::erase(evicted_, pod);
  PodObject object = pods_.at(pod);
  object.terminating = true;
  apply(object);
}

void World::remove(const std::string& pod) {
  planned_.erase(pod);
  std::erase(evicted_, pod);
  apply(PodDeleted{pod});
}

void World::refuse_eviction(const std::string& pod) {
  std::erase(evicted_, pod);
  apply(EvictionRefused{pod, "test"});
}

void World::drop(const std::string& pod) {
  apply(PlacementDropped{pod, planned_.at(pod), "test"});
  planned_.erase(pod);
}

void World::veto(const std::string& pod) {
  mirror_.veto(pod, planned_.at(pod), now_, std::chrono::minutes(1));
  drop(pod);
}

const NamedPlan& World::plan() {
  mirror_.forget_vetoes(now_);
  for (const std::string& pod : std::exchange(leaving_, {})) remove(pod);
  mirror_.settle(now_);
  Cluster& cluster = mirror_.cluster_for_session();
  const std::uint64_t before = engine::fingerprint(cluster);
  const Plan plan = warm_.run(cluster, now_);
  if (engine::fingerprint(cluster) != before) faults_.push_back("the session left a trace");
  last_ = by_names(cluster, plan);
  cold_.forget();
  if (const NamedPlan again = by_names(cluster, cold_.run(cluster, now_)); !(again == last_)) {
    faults_.push_back("a scheduler without memory decides otherwise:\n" + again.to_string() +
                      "instead of:\n" + last_.to_string());
  }
  for (const std::string& fault : broken_laws(cluster, plan, book_)) {
    faults_.push_back(fault + ", by the plan\n" + last_.to_string());
  }

  for (const auto& [task, node] : plan.binds) {
    planned_[cluster.task(task).uid] = cluster.node(node).name;
  }
  for (const PlannedEviction& each : plan.evictions) {
    evicted_.push_back(cluster.task(each.task).uid);
  }
  mirror_.assume(plan, now_);
  mirror_.assume_reservations(plan, now_);
  mirror_.settle(now_);
  if (std::string fault = engine::first_inconsistency(mirror_.cluster()); !fault.empty()) {
    faults_.push_back(std::move(fault));
  }
  return last_;
}

void World::carry_out() {
  std::vector<ClusterEvent> events;
  for (const auto& [uid, node] : std::exchange(planned_, {})) {
    const TaskId id = task(uid);
    const bool stands = id.is_valid() && cluster().task(id).status == TaskStatus::binding;
    if (!stands) continue;
    PodObject object = pods_.at(uid);
    object.node_name = node;
    object.phase = PodPhase::running;
    object.started = now_;
    events.emplace_back(std::move(object));
  }
  apply_all(std::move(events));
  for (const std::string& uid : std::exchange(evicted_, {})) {
    terminate(uid);
    leaving_.push_back(uid);
  }
  mirror_.settle(now_);
}

bool World::is_planned(const std::string& pod) const {
  const TaskId id = task(pod);
  return id.is_valid() && cluster().task(id).status == TaskStatus::binding;
}

JobId World::job(const std::string& name) const {
  for (std::size_t j = 0; j < cluster().job_slots(); ++j) {
    if (cluster().job(JobId(j)).exists && cluster().job(JobId(j)).name == name) return JobId(j);
  }
  return JobId();
}

NodeId World::node_of(const std::string& pod) const {
  const TaskId id = task(pod);
  return id.is_valid() ? cluster().task(id).node : NodeId();
}

}  // namespace berth::support
