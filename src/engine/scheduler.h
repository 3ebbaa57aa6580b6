#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/engine/action.h"
#include "berth/engine/plugin.h"
#include "berth/model/plan.h"
#include "engine/configuration.h"
#include "engine/memory.h"

namespace berth::engine {

// How long a session and its parts took; for metrics, never for decisions.
class SessionObserver {
 public:
  virtual ~SessionObserver() = default;
  virtual void action_done(std::string_view action, std::chrono::nanoseconds took) = 0;
};

// The configured actions and plugins, ready to run sessions over one cluster. The runner: it
// switches, times, verifies and explains, so that no action does.
class Scheduler {
 public:
  // Refuses unknown names and arguments, saying where and what was probably meant.
  static Result<Scheduler> create(SessionConfig config);
  Scheduler(Scheduler&&) noexcept;
  Scheduler& operator=(Scheduler&&) noexcept;
  ~Scheduler();

  // A session: the cluster is read in place and, when this returns, is as it was. The same cluster,
  // configuration and time give the same plan, byte for byte. Always with the same cluster.
  Plan run(Cluster& cluster, TimePoint now, SessionObserver* observer = nullptr) {
    return run(cluster, now, observer, [](const Plan&) { return true; });
  }
  // Asks after the last action whether Plan::order is wanted, which takes about a microsecond for
  // each job that waits. Refusals of Reason::none count as none.
  using IsOrderWanted = std::function<bool(const Plan&)>;
  Plan run(Cluster& cluster, TimePoint now, SessionObserver* observer,
           const IsOrderWanted& is_order_wanted);
  // The same decisions, without the reasons of jobs that wait and without their order: both take
  // time for each of them, and a simulation of years reads neither.
  Plan run_without_reasons(Cluster& cluster, TimePoint now);

  // Opens a session in the state that its first action would find, for questions. All changes are
  // undone.
  void inspect(Cluster& cluster, TimePoint now, const std::function<void(Session&)>& look);

  bool has_plugin(std::string_view name) const;

  // Forgets the results that sessions reuse; changes no decision.
  void forget();

 private:
  struct LoadedAction {
    std::string name;
    ActionPtr action;
  };
  struct LoadedPlugin {
    std::string name;
    std::uint16_t tier = 0;
    std::set<std::string> disabled;
    PluginPtr plugin;
  };

  Scheduler();
  void open(Session& session);
  void give_reasons(bool gives);
  Plan run_session(Cluster& cluster, TimePoint now, SessionObserver* observer,
                   const IsOrderWanted& is_order_wanted);

  std::vector<LoadedAction> actions_;
  std::vector<LoadedPlugin> plugins_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace berth::engine
