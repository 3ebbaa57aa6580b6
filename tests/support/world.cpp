#include "support/world.h"

#include <utility>

#include "engine/consistency.h"
#include "support/order_law.h"
#include "support/usage_law.h"

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
  const auto duration_of = [&](const char* action, const char* key, Duration fallback) {
    const auto found = config.action_arguments.find(action);
    if (found == config.action_arguments.end()) return fallback;
    engine::Arguments arguments = found->second;
    return arguments.duration(key, fallback, Duration(0), std::chrono::hours(8760));
  };
  if (const auto found = config.action_arguments.find("backfill");
      found != config.action_arguments.end()) {
    engine::Arguments arguments = found->second;
    book.has_backfill_behind = arguments.text("behind", "off") != "off";
    const bool trusts_all = arguments.text("trust", "stated") == "stated";
    book.limit_trust = trusts_all ? LimitTrust::stated : LimitTrust::enforced;
  }
  book.cleanup_grace = duration_of("cleanup", "grace-period", book.cleanup_grace);
  book.preempt_min_run_time = duration_of("preempt", "min-run-time", Duration(0));
  book.reclaim_min_run_time = duration_of("reclaim", "min-run-time", Duration(0));
  book.eviction_limits = config.eviction_limits;
  book.has_priority = has_plugin("priority");
  book.has_elastic = has_plugin("elastic");
  book.has_conformance = has_plugin("conformance");
  book.has_node_reservation = has_plugin("node_reservation");
  book.has_elect = has_action("elect");
  for (const auto& tier : config.tiers) {
    for (const auto& each : tier) {
      if (each.plugin.name != "reservation") continue;
      engine::Arguments arguments = each.arguments;
      const std::string lock = arguments.text("lock", "multi-node");
      book.locks_by_ends = arguments.text("lock-order", "idle") == "ends" &&
                           (lock == "multi-node" || lock == "closest-fit") &&
                           !arguments.has("max-locked-nodes");
      book.targets_most = static_cast<std::size_t>(arguments.integer("targets", 1, 1, 1000));
      book.locked_thousandths_most =
          static_cast<std::size_t>(arguments.thousandths("max-locked-nodes", 1000, 1, 1000));
      if (arguments.has("unbounded-after")) book.locked_thousandths_most = 1000;
    }
  }
  return std::unique_ptr<World>(
      new World(config, std::move(warm).value(), std::move(cold).value(), book));
}

namespace {

NamedPlan without_reasons(NamedPlan plan) {
  plan.refusals.clear();
  plan.order.clear();
  return plan;
}

}  // namespace

World::World(engine::SessionConfig config, engine::Scheduler warm, engine::Scheduler cold,
             LawBook book)
    : config_(std::move(config)),
      warm_(std::move(warm)),
      cold_(std::move(cold)),
      curt_(engine::Scheduler::create(config_).value()),
      book_(book),
      now_(std::chrono::seconds(1'800'000'000)) {}

void World::restart() {
  std::vector<ClusterEvent> known = memory_.objects();
  if (random_) shuffle(known, *random_);
  memory_.rebuild(known);
  warm_ = engine::Scheduler::create(config_).value();
  cold_ = engine::Scheduler::create(config_).value();
  curt_ = engine::Scheduler::create(config_).value();
  planned_.clear();
  mirror().settle(now_);
  mirror().restore_claims(now_);
}

void World::apply_all(std::vector<ClusterEvent> events) {
  if (random_) shuffle(events, *random_);
  for (const ClusterEvent& event : events) apply(event);
}

void World::terminate(const std::string& pod) {
  std::erase(evicted_, pod);
  PodObject object = *memory_.find_pod(pod);
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
  mirror().veto(pod, planned_.at(pod), "not offered", now_, std::chrono::minutes(1));
  drop(pod);
}

const NamedPlan& World::plan() {
  mirror().forget_vetoes(now_);
  memory_.remove_leaving();
  mirror().settle(now_);
  Cluster& cluster = mirror().cluster_for_session();
  const std::uint64_t before = engine::fingerprint(cluster);
  const Plan plan = warm_.run(cluster, now_);
  if (engine::fingerprint(cluster) != before) faults_.push_back("the session left a trace");
  last_ = by_names(cluster, plan);
  cold_.forget();
  if (const NamedPlan again = by_names(cluster, cold_.run(cluster, now_)); !(again == last_)) {
    faults_.push_back("a scheduler without memory decides otherwise:\n" + again.to_string() +
                      "instead of:\n" + last_.to_string());
  }
  NamedPlan curt = by_names(cluster, curt_.run_without_reasons(cluster, now_));
  if (!(curt == without_reasons(last_))) {
    faults_.push_back("a session without reasons decides otherwise:\n" + curt.to_string() +
                      "instead of:\n" + last_.to_string());
  }
  for (const std::string& fault : broken_laws(cluster, plan, book_, now_)) {
    faults_.push_back(fault + ", by the plan\n" + last_.to_string());
  }
  for (const std::string& fault : members_without_a_place(cluster, plan)) {
    faults_.push_back(fault + ", by the plan\n" + last_.to_string());
  }

  for (const auto& [task, node] : plan.binds) {
    planned_[cluster.task(task).uid] = cluster.node(node).name;
  }
  for (const PlannedEviction& each : plan.evictions) {
    evicted_.push_back(cluster.task(each.task).uid);
  }
  mirror().assume(plan, now_);
  mirror().assume_reservations(plan, now_);
  mirror().settle(now_);
  if (std::string fault = engine::first_inconsistency(mirror().cluster()); !fault.empty()) {
    faults_.push_back(std::move(fault));
  }
  for (std::string& fault : broken_usage_law(cluster)) faults_.push_back(std::move(fault));
  return last_;
}

void World::carry_out() {
  std::vector<std::pair<std::string, std::string>> starts;
  for (auto& [uid, node] : std::exchange(planned_, {})) {
    if (is_planned(uid)) starts.emplace_back(uid, node);
  }
  if (random_) shuffle(starts, *random_);
  for (const auto& [uid, node] : starts) memory_.start(uid, node, now_);
  for (const std::string& uid : std::exchange(evicted_, {})) {
    if (memory_.find_pod(uid) != nullptr) memory_.evict(uid);
  }
  mirror().settle(now_);
}

bool World::is_planned(const std::string& pod) const {
  const TaskId id = task(pod);
  return id.is_valid() && cluster().task(id).status == TaskStatus::binding;
}

NodeId World::node_of(const std::string& pod) const {
  const TaskId id = task(pod);
  return id.is_valid() ? cluster().task(id).node : NodeId();
}

}  // namespace berth::support
