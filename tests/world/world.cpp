#include "world/world.h"

#include <algorithm>
#include <utility>

#include "conf/config.h"
#include "conf/default_config.h"
#include "daemon/configuration.h"
#include "telemetry/heap.h"
#include "world/autoscaler.h"
#include "world/wall_clock.h"

namespace berth::world {
namespace {

// Refused evictions are remembered for so long.
constexpr Duration kForgets = 40min;
// The window of pods, and tables that have places for more.
constexpr std::size_t kKeptMost = 350'000;
// The journal of changed nodes (ChangeJournal), which begins anew at some megabytes.
constexpr std::size_t kKeptOfStep = 4;

conf::Config configuration(Agenda& dice) {
  std::string text(conf::default_config_text());
  const std::string waits = "wait-duration: 30m";
  const std::size_t at = text.find(waits);
  if (dice.happens(700)) text.replace(at, waits.size(), "wait-duration: 1m");
  const std::string period = "schedulePeriod: 1s";  // what ends by the clock must not wait for it
  if (dice.happens(200)) text.replace(text.find(period), period.size(), "schedulePeriod: 5m");
  conf::Config config = conf::load_config(text, "world", daemon::known_names()).value();
  config.steering.mode = dice.happens(700) ? "view" : "nominate";
  return config;
}

// All that a seed decides at first.
struct Beginning {
  explicit Beginning(Agenda& dice)
      : config(configuration(dice)),
        release(dice.happens(500) ? apiview::testing::Release::from_1_35
                                  : apiview::testing::Release::to_1_34),
        faults(Faults::swarm(dice)) {}

  conf::Config config;
  apiview::testing::Release release;
  Faults faults;
};

class World {
 public:
  explicit World(const Setup& setup)
      : setup_(setup),
        agenda_(setup.seed),
        network_(agenda_),
        server_(agenda_),
        beginning_(agenda_),
        inhabitants_(agenda_, network_, server_),
        laws_(agenda_, server_, inhabitants_),
        autoscaler_(agenda_, server_) {
    if (!setup.story.empty()) agenda_.write_story(setup.story);
    server_.follow([this](const ApiServer::Change& change) { on_change(change); });
    add_service();
  }

  Outcome run() {
    network_.faults = setup_.faults.value_or(beginning_.faults);
    const std::string faults = network_.faults.names();
    agenda_.note("mode " + beginning_.config.steering.mode + ", faults: " + faults);
    const TimePoint begin = agenda_.now();
    if (is_in_place()) inhabitants_.gate_pods();
    start_stock();
    inhabitants_.begin(setup_.nodes, setup_.jobs);
    const std::size_t replicas = 1 + agenda_.below(2);
    replicas_.resize(setup_.replicas == 0 ? replicas : setup_.replicas);
    for (Replica& replica : replicas_) {
      replica.wall = std::make_unique<WallClock>(agenda_);
      start_berthd(replica);
    }
    if (network_.faults.clock_step > 0) laws_.claims().set_skew(WallClock::kOffMost);
    if (network_.faults.autoscaler > 0) autoscaler_.begin();
    second();
    while (laws_.broken().empty() && agenda_.step(begin + setup_.faulty)) {
    }
    agenda_.note("no more faults");
    network_.faults = {};
    is_calm_ = true;
    laws_.calm();
    inhabitants_.stop();
    autoscaler_.calm();
    for (const Replica& replica : replicas_) replica.wall->set_right();
    const TimePoint until = agenda_.now() + setup_.quiet;
    while (!laws_.is_all_over() && laws_.broken().empty() && agenda_.step(until)) {
    }
    if (laws_.broken().empty()) laws_.end();
    if (setup_.weighs && laws_.broken().empty()) weigh();
    for (Replica& replica : replicas_) end_berthd(replica);
    return {laws_.broken(), faults, agenda_.digest(), agenda_.steps(), inhabitants_.jobs().size(),
            kept_};
  }

 private:
  // The pod of a berthd and its kube-scheduler.
  struct Replica {
    std::unique_ptr<Berthd> berthd;
    std::unique_ptr<KubeScheduler> scheduler;
    std::unique_ptr<WallClock> wall = {};  // of its machine
    int run = 0;
    std::uint64_t sessions_then = 0;
  };

  void start_berthd(Replica& replica) {
    replica.run = ++runs_;
    replica.sessions_then = 0;
    const std::string name = "berthd-" + std::to_string(replica.run);
    agenda_.note(name + " starts");
    replica.berthd = std::make_unique<Berthd>(agenda_, *replica.wall, network_, server_, laws_,
                                              lease_, beginning_.config, name);
    start_scheduler(replica);
  }
  bool is_in_place() const { return beginning_.config.steering.mode == "nominate"; }
  void start_scheduler(Replica& replica) {
    if (is_in_place()) return;
    replica.scheduler = std::make_unique<KubeScheduler>(agenda_, network_, server_, *replica.berthd,
                                                        beginning_.release);
  }
  void start_stock() {
    stock_ = std::make_unique<KubeScheduler>(agenda_, network_, server_,
                                             is_in_place() ? &service_ : nullptr);
    for (const Replica& replica : replicas_) {
      if (is_in_place() && replica.berthd != nullptr) replica.berthd->kube_scheduler_changed();
    }
  }
  // A Service: calls go to the berthd that was ready a moment ago, which is the one that led.
  void add_service() {
    for (const char* const path : kVerbPaths) {
      service_.add("POST", path, [this](const http::Request& request, http::Responder responder) {
        for (const Replica& replica : replicas_) {
          if (replica.berthd == nullptr || replica.run != ready_) continue;
          return replica.berthd->verbs().route(request, std::move(responder));
        }
        responder.answer(http::text_response(503, "no endpoint is ready"));
      });
    }
  }

  void probe() {
    for (const Replica& replica : replicas_) {
      if (replica.berthd != nullptr && replica.berthd->leads()) ready_ = replica.run;
    }
  }
  // In place it is away for a while.
  void kill_stock() {
    if (stock_ == nullptr) return;
    if (!is_in_place()) return start_stock();
    agenda_.note("kube-scheduler is killed");
    stock_.reset();
    const bool is_long = agenda_.happens(100);
    agenda_.after(is_long ? agenda_.between(30s, 4min) : agenda_.between(1s, 5s),
                  [this] { start_stock(); });
  }

  void end_scheduler(Replica& replica) {
    check_scheduler(replica);
    replica.scheduler.reset();
  }
  void end_berthd(Replica& replica) {
    end_scheduler(replica);
    if (replica.berthd && replica.berthd->leads()) laws_.claims().leader_ended();
    replica.berthd.reset();
  }

  void on_change(const ApiServer::Change& change) {
    std::string line = std::string(to_string(change.kind)) + " " + change.type + " " + change.key;
    if (const auto* const pod = std::get_if<PodObject>(&change.event)) {
      line += " " + pod->name + " " + to_string(pod->phase);
      if (!pod->node_name.empty()) line += " on " + pod->node_name;
      if (pod->terminating) line += " leaves";
    }
    if (const auto* const node = std::get_if<NodeObject>(&change.event)) {
      if (!node->locked_for.empty()) line += " locked for " + node->locked_for;
    }
    if (const auto* const group = std::get_if<PodGroupObject>(&change.event)) {
      line += std::string(" ") + to_string(group->phase) + " " + group->written.message;
      if (!group->marks.claims.empty()) line += " [claims " + group->marks.claims + "]";
    }
    agenda_.note(line);
    for (const Replica& replica : replicas_) {
      if (replica.berthd != nullptr) replica.berthd->server_changed();
      if (replica.scheduler != nullptr) replica.scheduler->server_changed(change);
    }
    if (stock_ != nullptr) stock_->server_changed(change);
    if (change.kind == Kind::pod) collect_orphan(change);
  }

  // A pod that was bound to a node that is gone.
  void collect_orphan(const ApiServer::Change& change) {
    const auto* const pod = std::get_if<PodObject>(&change.event);
    if (pod == nullptr || pod->node_name.empty()) return;
    if (server_.all<NodeObject>().contains(pod->node_name)) return;
    agenda_.after(20s, [this, uid = pod->uid, node = pod->node_name] {
      if (!server_.all<NodeObject>().contains(node)) server_.erase<PodObject>(uid);
    });
  }

  void second() {
    laws_.second(std::any_of(replicas_.begin(), replicas_.end(), [](const Replica& each) {
      return each.berthd != nullptr && each.berthd->leads();
    }));
    look_at_sessions();
    if (agenda_.happens(network_.faults.compaction)) server_.compact();
    if (agenda_.happens(network_.faults.scheduler_kill)) kill_stock();
    probe();
    for (Replica& replica : replicas_) {
      if (replica.berthd != nullptr) harm(replica);
    }
    agenda_.after(1s, [this] { second(); });
  }

  void harm(Replica& replica) {
    check_scheduler(replica);
    const Faults& faults = network_.faults;
    const std::string name = "berthd-" + std::to_string(replica.run);
    if (replica.berthd->is_retiring()) return;
    if (agenda_.happens(faults.berthd_stop)) {
      agenda_.note(name + " is stopped");
      return replica.berthd->retire([this, &replica] {
        end_berthd(replica);
        agenda_.after(agenda_.between(1s, 5s), [this, &replica] { start_berthd(replica); });
      });
    }
    if (agenda_.happens(faults.berthd_kill)) {
      agenda_.note(name + " is killed");
      end_berthd(replica);
      return agenda_.after(agenda_.between(1s, 5s), [this, &replica] { start_berthd(replica); });
    }
    if (agenda_.happens(faults.clock_step)) {
      agenda_.note("the clock of " + name + " is set");
      replica.wall->set(agenda_);
    }
    if (agenda_.happens(faults.berthd_freeze)) {
      const Duration length = agenda_.between(100ms, 15s);
      const std::uint64_t who = agenda_.below(3);  // one container, the other, or both
      agenda_.note(name + (who == 0 ? " stands still" : " and its kube-scheduler stand still"));
      if (who != 1) replica.berthd->life().freeze(length);
      KubeScheduler* const its = (is_in_place() ? stock_ : replica.scheduler).get();
      if (who != 0 && its != nullptr) its->life().freeze(length);
    }
    if (replica.scheduler == nullptr || !agenda_.happens(faults.scheduler_kill)) return;
    agenda_.note("kube-scheduler of " + name + " is killed");
    end_scheduler(replica);
    agenda_.after(agenda_.between(1s, 5s), [this, &replica, run = replica.run] {
      if (run != replica.run || replica.berthd == nullptr) return;
      start_scheduler(replica);
      replica.berthd->kube_scheduler_changed();
    });
  }

  // In the calm, sessions follow changes, or a clock that goes by the second.
  void look_at_sessions() {
    if (!is_calm_ || agenda_.now() - looked_at_ < 1min) return;
    const std::uint64_t changes = server_.version() - version_then_;
    for (Replica& replica : replicas_) {
      if (replica.berthd == nullptr) continue;
      const std::uint64_t sessions = replica.berthd->sessions();
      const std::uint64_t since = sessions - std::exchange(replica.sessions_then, sessions);
      if (looked_at_ != TimePoint() && since > 120 + 4 * changes) {
        laws_.break_law("sessions without a cause: " + std::to_string(since) + " in a minute, " +
                        std::to_string(changes) + " changes");
      }
    }
    looked_at_ = agenda_.now();
    version_then_ = server_.version();
  }

  void check_scheduler(const Replica& replica) {
    if (replica.scheduler == nullptr) return;
    for (const std::string& each : replica.scheduler->complaints()) {
      laws_.break_law("kube-scheduler: " + each);
    }
    for (const std::string& each : replica.berthd->complaints()) laws_.break_law(each);
  }

  // Everything goes. Then a berthd has not more bytes than one that begins.
  void weigh() {
    inhabitants_.delete_all_jobs();
    run_for(kForgets);
    std::vector<std::size_t> kept(replicas_.size());
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = bytes_of(replicas_[i]);
    const std::size_t most = kKeptMost + kKeptOfStep * agenda_.steps();
    for (Replica& replica : replicas_) start_berthd(replica);
    run_for(1min);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const std::size_t fresh = bytes_of(replicas_[i]);
      kept_ = std::max(kept_, kept[i] - std::min(kept[i], fresh));
      if (kept[i] <= fresh + most) continue;
      laws_.break_law("a berthd keeps " + std::to_string(kept[i]) +
                      " bytes of nothing, a new one " + std::to_string(fresh));
    }
  }

  void run_for(Duration length) {
    const TimePoint until = agenda_.now() + length;
    while (laws_.broken().empty() && agenda_.step(until)) {
    }
  }

  // Ends it.
  std::size_t bytes_of(Replica& replica) {
    end_scheduler(replica);
    const std::size_t before = telemetry::heap_bytes();
    replica.berthd.reset();
    return before - telemetry::heap_bytes();
  }

  const Setup setup_;
  Agenda agenda_;
  Network network_;
  ApiServer server_;
  const Beginning beginning_;
  Inhabitants inhabitants_;
  Laws laws_;
  Autoscaler autoscaler_;
  Lease lease_;
  int runs_ = 0;
  std::vector<Replica> replicas_;
  http::Router service_;                  // in place
  int ready_ = 0;                         // the run of a berthd
  std::unique_ptr<KubeScheduler> stock_;  // the cluster's own; null: it is away
  bool is_calm_ = false;
  TimePoint looked_at_;  // at the counts of sessions
  std::uint64_t version_then_ = 0;
  std::size_t kept_ = 0;
};

}  // namespace

Outcome run(const Setup& setup) { return World(setup).run(); }

Faults faults_of(const Setup& setup) {
  Agenda dice(setup.seed);
  return Beginning(dice).faults;
}

}  // namespace berth::world
