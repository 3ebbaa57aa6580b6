#include "engine/scheduler.h"

#include <algorithm>
#include <utility>

#include "berth/base/check.h"
#include "berth/base/text.h"
#include "engine/consistency.h"
#include "engine/order_rules.h"

namespace berth::engine {

namespace {

Error unknown(const char* kind, const Named& named, const std::vector<std::string>& known) {
  return {
      std::string("unknown ") + kind + " \"" + named.name + "\"" + suggestion(named.name, known),
      named.where};
}

// S0 (Volcano 1.1.0) writes overcommit's factor among the arguments of the enqueue action and names
// no plugin for it. The factor goes to the plugin, which joins the last tier if no tier names it; a
// factor of the plugin's own wins.
void move_overcommit_factor(SessionConfig& config) {
  const std::string key = "overcommit-factor";
  const auto enqueue = config.action_arguments.find("enqueue");
  if (enqueue == config.action_arguments.end() || !enqueue->second.has(key)) return;
  for (Tier& tier : config.tiers) {
    for (PluginConfig& each : tier) {
      if (each.plugin.name == "overcommit") return each.arguments.take_from(enqueue->second, key);
    }
  }
  PluginConfig overcommit;
  overcommit.plugin = {"overcommit", config.where};
  overcommit.arguments.take_from(enqueue->second, key);
  if (config.tiers.empty()) config.tiers.emplace_back();
  config.tiers.back().push_back(std::move(overcommit));
}

// In checked builds, the invariants are verified after every step.
void verify([[maybe_unused]] const Cluster& cluster, [[maybe_unused]] std::string_view after) {
#ifdef BERTH_CHECKED
  const std::string fault = first_inconsistency(cluster);
  if (!fault.empty()) check_failed((std::string(after) + ": " + fault).c_str(), __FILE__, __LINE__);
#endif
}

}  // namespace

Scheduler::Scheduler() : memory_(std::make_unique<Memory>()) {}
Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;
Scheduler::~Scheduler() = default;

Result<Scheduler> Scheduler::create(SessionConfig config) {
  if (const Status order = check_order(config); !order) return order.error();
  Scheduler scheduler;
  scheduler.memory_->claim_patience = config.claim_patience;
  scheduler.memory_->eviction_limits = config.eviction_limits;
  move_overcommit_factor(config);
  std::map<std::string, Arguments> action_arguments = std::move(config.action_arguments);
  for (const Named& named : config.actions) {
    Arguments& arguments = action_arguments[named.name];
    ActionPtr action = make_action(named.name, arguments);
    if (action == nullptr) return unknown("action", named, action_names());
    if (const auto errors = arguments.errors(); !errors.empty()) return errors.front();
    scheduler.actions_.push_back({named.name, std::move(action)});
  }
  std::uint16_t tier_number = 0;
  for (Tier& tier : config.tiers) {
    for (PluginConfig& each : tier) {
      PluginPtr plugin = make_plugin(each.plugin.name, each.arguments);
      if (plugin == nullptr) return unknown("plugin", each.plugin, plugin_names());
      if (const auto errors = each.arguments.errors(); !errors.empty()) return errors.front();
      LoadedPlugin loaded{each.plugin.name, tier_number, {}, std::move(plugin)};
      for (const Named& point : each.disabled_points) {
        const auto known = points::names();
        if (!std::binary_search(known.begin(), known.end(), point.name)) {
          return unknown("extension point", point, known);
        }
        loaded.disabled.insert(point.name);
      }
      scheduler.plugins_.push_back(std::move(loaded));
    }
    ++tier_number;
  }
  return scheduler;
}

void Scheduler::open(Session& session) {
  for (LoadedPlugin& loaded : plugins_) {
    session.open_plugin(loaded.tier, &loaded.disabled);
    loaded.plugin->on_session_open(session);
  }
  std::set<std::string_view> actions;
  for (const LoadedAction& each : actions_) actions.insert(each.name);
  session.start(actions);
  for (const LoadedAction& each : actions_) {
    if (auto maker = each.action->room_maker(session)) {
      session.room_makers().add(each.name, std::move(maker));
    }
  }
}

// Sessions with reasons remember what is of no use to those without, and the other way round.
void Scheduler::give_reasons(bool gives) {
  if (memory_->gives_reasons != gives) forget();
  memory_->gives_reasons = gives;
}

void Scheduler::inspect(Cluster& cluster, TimePoint now,
                        const std::function<void(Session&)>& look) {
  give_reasons(true);
  Session session(cluster, *memory_, now);
  open(session);
  look(session);
  session.close();
}

Plan Scheduler::run(Cluster& cluster, TimePoint now, SessionObserver* observer,
                    const IsOrderWanted& is_order_wanted) {
  give_reasons(true);
  return run_session(cluster, now, observer, is_order_wanted);
}

Plan Scheduler::run_without_reasons(Cluster& cluster, TimePoint now) {
  give_reasons(false);
  return run_session(cluster, now, nullptr, [](const Plan&) { return false; });
}

Plan Scheduler::run_session(Cluster& cluster, TimePoint now, SessionObserver* observer,
                            const IsOrderWanted& is_order_wanted) {
  verify(cluster, "before the session");
#ifdef BERTH_CHECKED
  const std::uint64_t before = fingerprint(cluster);
#endif
  Session session(cluster, *memory_, now);
  open(session);
  for (const LoadedAction& each : actions_) {
    const auto begin = std::chrono::steady_clock::now();
    each.action->execute(session);
    if (observer != nullptr) {
      observer->action_done(each.name, std::chrono::steady_clock::now() - begin);
    }
    verify(cluster, "after action " + each.name);
  }
  session.refuse_those_alike();
  if (is_order_wanted(session.plan())) session.put_in_order();
  Plan plan = session.close();
#ifdef BERTH_CHECKED
  BERTH_CHECK(fingerprint(cluster) == before);
#endif
  return plan;
}

bool Scheduler::has_plugin(std::string_view name) const {
  return std::any_of(plugins_.begin(), plugins_.end(),
                     [&](const LoadedPlugin& each) { return each.name == name; });
}

void Scheduler::forget() {
  const Duration claim_patience = memory_->claim_patience;
  const EvictionLimits eviction_limits = memory_->eviction_limits;
  *memory_ = Memory();
  memory_->claim_patience = claim_patience;
  memory_->eviction_limits = eviction_limits;
}

}  // namespace berth::engine
