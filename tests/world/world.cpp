#include "world/world.h"

#include <utility>

#include "conf/config.h"
#include "conf/default_config.h"
#include "daemon/configuration.h"

namespace berth::world {
namespace {

conf::Config configuration(Agenda& dice) {
  std::string text(conf::default_config_text());
  const std::string waits = "wait-duration: 30m";
  const std::size_t at = text.find(waits);
  if (dice.happens(700)) text.replace(at, waits.size(), "wait-duration: 1m");
  conf::Config config = conf::load_config(text, "world", daemon::known_names()).value();
  config.steering.mode = "view";
  return config;
}

class World {
 public:
  explicit World(const Setup& setup)
      : setup_(setup),
        agenda_(setup.seed),
        network_(agenda_),
        server_(agenda_),
        inhabitants_(agenda_, network_, server_),
        laws_(agenda_, server_, inhabitants_) {
    if (setup.keeps_story) agenda_.keep_story();
    server_.follow([this](const ApiServer::Change& change) { on_change(change); });
  }

  Outcome run() {
    config_.emplace(configuration(agenda_));
    release_ = agenda_.happens(500) ? apiview::testing::Release::from_1_35
                                    : apiview::testing::Release::to_1_34;
    const Faults by_seed = Faults::swarm(agenda_);  // the dice fall alike with other faults
    network_.faults = setup_.faults.value_or(by_seed);
    const std::string faults = network_.faults.names();
    agenda_.note("faults: " + faults);
    const TimePoint begin = agenda_.now();
    inhabitants_.begin(setup_.nodes, setup_.jobs);
    const std::size_t replicas = 1 + agenda_.below(2);
    replicas_.resize(setup_.replicas == 0 ? replicas : setup_.replicas);
    for (Replica& replica : replicas_) start_berthd(replica);
    second();
    while (laws_.broken().empty() && agenda_.step(begin + setup_.faulty)) {
    }
    agenda_.note("no more faults");
    network_.faults = {};
    laws_.calm();
    inhabitants_.stop();
    bring_nodes_back();
    const TimePoint until = agenda_.now() + setup_.quiet;
    while (!laws_.is_all_over() && laws_.broken().empty() && agenda_.step(until)) {
    }
    if (laws_.broken().empty()) laws_.end();
    for (Replica& replica : replicas_) end_berthd(replica);
    return {laws_.broken(),   agenda_.story(), faults,
            agenda_.digest(), agenda_.steps(), inhabitants_.jobs().size()};
  }

 private:
  // The pod of a berthd and its kube-scheduler.
  struct Replica {
    std::unique_ptr<Berthd> berthd;
    std::unique_ptr<KubeScheduler> scheduler;
    int run = 0;
  };

  void start_berthd(Replica& replica) {
    replica.run = ++runs_;
    const std::string name = "berthd-" + std::to_string(replica.run);
    agenda_.note(name + " starts");
    replica.berthd =
        std::make_unique<Berthd>(agenda_, network_, server_, laws_, lease_, *config_, name);
    start_scheduler(replica);
  }
  void start_scheduler(Replica& replica) {
    replica.scheduler =
        std::make_unique<KubeScheduler>(agenda_, network_, server_, *replica.berthd, release_);
  }
  void end_scheduler(Replica& replica) {
    check_scheduler(replica);
    replica.scheduler.reset();
  }
  void end_berthd(Replica& replica) {
    end_scheduler(replica);
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
    }
    agenda_.note(line);
    for (const Replica& replica : replicas_) {
      if (replica.berthd != nullptr) replica.berthd->server_changed();
      if (replica.scheduler != nullptr) replica.scheduler->server_changed(change);
    }
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
    laws_.second();
    if (agenda_.happens(network_.faults.compaction)) server_.compact();
    for (Replica& replica : replicas_) {
      if (replica.berthd != nullptr) harm(replica);
    }
    agenda_.after(1s, [this] { second(); });
  }

  void harm(Replica& replica) {
    check_scheduler(replica);
    const Faults& faults = network_.faults;
    const std::string name = "berthd-" + std::to_string(replica.run);
    if (agenda_.happens(faults.berthd_kill)) {
      agenda_.note(name + " is killed");
      end_berthd(replica);
      return agenda_.after(agenda_.between(1s, 5s), [this, &replica] { start_berthd(replica); });
    }
    if (agenda_.happens(faults.berthd_freeze)) {
      const Duration length = agenda_.between(100ms, 15s);
      agenda_.note(name + " stands still");
      replica.berthd->life().freeze(length);
      if (replica.scheduler != nullptr) replica.scheduler->life().freeze(length);
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

  void check_scheduler(const Replica& replica) {
    if (replica.scheduler == nullptr) return;
    for (const std::string& each : replica.scheduler->complaints()) {
      laws_.break_law("kube-scheduler: " + each);
    }
    for (const std::string& each : replica.berthd->complaints()) laws_.break_law(each);
  }

  void bring_nodes_back() {
    std::vector<std::string> cordoned;
    for (const auto& [name, node] : server_.all<NodeObject>()) {
      if (node.object.unschedulable) cordoned.push_back(name);
    }
    for (const std::string& name : cordoned) {
      server_.change<NodeObject>(name, [](NodeObject& node) { node.unschedulable = false; });
    }
  }

  const Setup setup_;
  Agenda agenda_;
  Network network_;
  ApiServer server_;
  Inhabitants inhabitants_;
  Laws laws_;
  Lease lease_;
  std::optional<conf::Config> config_;
  apiview::testing::Release release_ = apiview::testing::Release::from_1_35;
  int runs_ = 0;
  std::vector<Replica> replicas_;
};

}  // namespace

Outcome run(const Setup& setup) { return World(setup).run(); }

}  // namespace berth::world
