#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "support/queue_node_laws.h"
#include "support/seeds.h"
#include "support/stage.h"

// Laws of nodes of queues over random clusters (docs/design/node-reservation.md). World checks
// after each session that no node has two queues or a target of another one, that no pod of others
// is placed there by any action, who leaves for a queue, and that a scheduler without memory
// decides the same (support/queue_node_laws.h). Here: no more nodes than needed, none moves without
// a reason, and all are open in the end. A seed that fails is printed; BERTH_SEED=<seed> plays it
// alone, BERTH_LAWS=<n> tries more.

namespace berth::support::queue_nodes_test {
namespace {

constexpr std::uint64_t kSeeds = 300;
constexpr int kCycles = 12;
constexpr Duration kPeriod = std::chrono::seconds(5);

class Story {
 public:
  explicit Story(std::uint64_t seed) : random_(seed * 7919 + 13) {
    const char* const strategies[] = {"weighted", "weighted", "random", "seed-formula"};
    std::string chooser = std::string("node_reservation(strategy=") + strategies[below(random_, 4)];
    chooser += ",seed=" + std::to_string(below(random_, 9));
    if (chance(30)) chooser += ",margin=0";
    if (chance(20)) chooser += ",max-new-locks=" + std::to_string(1 + below(random_, 2));
    if (chance(20)) chooser += ",max-locked-nodes=0.5";
    if (chance(20)) chooser += ",tolerated-taints=team";
    has_targets_ = chance(25);
    std::string actions = has_targets_ ? "elect enqueue reserve " : chance(70) ? "enqueue " : "";
    actions +=
        chance(70) ? "allocate backfill reclaim preempt" : "reclaim allocate backfill preempt";
    std::string tiers = "priority gang conformance ";
    if (chance(70)) tiers += "elastic ";
    if (has_targets_) tiers += "reservation(nodes=2,wait-duration=10s) ";
    tiers += "/ predicates ";
    if (chance(60)) tiers += chance(30) ? "proportion(lend=true) " : "proportion ";
    config_ = config_of(actions, tiers + chooser + ") nodeorder");
  }

  const engine::SessionConfig& config() const { return config_; }
  bool has_targets() const { return has_targets_; }
  Random& random() { return random_; }

  std::string opening() {
    std::string text = "priorityclass high value=10\n";
    for (std::size_t q = 0; q < kQueues; ++q) text += queue(q);
    // Few of them are searched exactly, more of them greedily.
    const std::size_t nodes = 2 + below(random_, chance(15) ? 24 : 8);
    while (nodes_ < nodes) text += node(nodes_++);
    for (std::size_t j = 1 + below(random_, 6); j > 0; --j) text += job(true);
    for (std::size_t p = below(random_, 4); p > 0; --p) text += foreign_pod();
    return text;
  }

  // The events between two sessions.
  std::string events(const World& world) {
    std::string text;
    for (std::size_t times = below(random_, 5); times > 0; --times) text += event(world);
    return text;
  }

  // No queue asks for anything any more.
  static std::string off() {
    std::string text;
    for (std::size_t q = 0; q < kQueues; ++q) text += head(q) + "\n";
    return text;
  }

  static constexpr std::size_t kQueues = 4;

 private:
  bool chance(std::size_t percent) { return below(random_, 100) < percent; }

  static std::string head(std::size_t q) {
    return "queue q" + std::to_string(q) + (q == 1 ? " parent=q0" : "");
  }
  std::string queue(std::size_t q) {
    std::string text = head(q);
    if (chance(60)) {
      text += " guarantee=cpu:" + std::to_string(1 + below(random_, 14));
      if (chance(30)) text += ",mem:" + std::to_string(1 + below(random_, 16)) + "Gi";
      if (chance(15)) text += ",gpu:1";
    }
    if (chance(25)) {
      text += " share=" + std::to_string(below(random_, 700));
      if (chance(40)) text += chance(50) ? " share-of=cpu" : " share-of=nvidia.com/gpu,cpu";
    }
    if (chance(15)) text += " capability=cpu:" + std::to_string(8 + below(random_, 20));
    if (chance(40)) text += " hard";
    if (chance(20)) text += " priority=" + std::to_string(below(random_, 3));
    if (chance(15)) text += " not-reclaimable";
    if (chance(5)) text += " state=closed";
    return text + "\n";
  }
  std::string node(std::size_t n) {
    std::string text =
        "node n" + std::to_string(n) + " cpu=" + std::to_string(1 + below(random_, 9));
    text += " mem=" + std::to_string(1 + below(random_, 9)) + "Gi";
    if (chance(30)) text += " gpu=" + std::to_string(1 + below(random_, 3));
    if (chance(15)) text += " taints=team:red:NoSchedule";
    if (chance(8)) text += " unschedulable";
    text += chance(50) ? " labels=zone:a" : " labels=zone:b";
    return text + "\n";
  }
  std::string any_node() { return "n" + std::to_string(below(random_, nodes_)); }
  std::string job(bool may_run) {
    const std::string name = "j" + std::to_string(jobs_++);
    const std::size_t pods = 1 + below(random_, 5);
    std::string text = "job " + name + " queue=q" + std::to_string(below(random_, kQueues));
    text += " min=" + std::to_string(1 + below(random_, pods));
    if (chance(20)) text += " priority=high";
    text += "\n";
    const bool runs = may_run && chance(60);
    for (std::size_t p = 0; p < pods; ++p) {
      const std::string pod = name + "/" + std::to_string(p);
      text += "task " + pod;
      if (chance(90)) text += " cpu=" + std::to_string(1 + below(random_, 3));
      if (chance(50)) text += " mem=" + std::to_string(1 + below(random_, 2)) + "Gi";
      if (chance(10)) text += " selector=zone:a";
      if (chance(30)) text += " tolerates=team,*";
      if (runs) text += " on=" + any_node();
      if (chance(10)) text += " not-preemptable";
      text += "\n";
      pods_.push_back(pod);
    }
    return text;
  }
  std::string foreign_pod() {
    std::string text = "pod u" + std::to_string(jobs_++) + " unmanaged cpu=1 on=" + any_node();
    return text + (chance(40) ? " runs-forever" : "") + "\n";
  }
  std::string event(const World& world) {
    switch (below(random_, 9)) {
      case 0:
        return queue(below(random_, kQueues));
      case 1:
        return node(below(random_, nodes_));
      case 2:
        return chance(50) ? node(nodes_++) : "";
      case 3:
        return job(false);
      case 4:
        return chance(50) ? foreign_pod() : "";
      case 5:
        return chance(30) ? "delete node " + any_node() + "\n" : "";
      case 6:
        return chance(20) ? "delete queue q" + std::to_string(below(random_, kQueues)) + "\n" : "";
      default:
        break;
    }
    const std::string pod = pods_[below(random_, pods_.size())];
    const std::string name =
        "default/" + pod.substr(0, pod.find('/')) + "-" + pod.substr(pod.find('/') + 1);
    const PodObject* known = world.pod(name);
    const bool runs = known != nullptr && known->phase == PodPhase::running && !known->terminating;
    return runs ? "finish " + pod + "\n" : "";
  }

  Random random_;
  engine::SessionConfig config_;
  bool has_targets_ = false;
  std::size_t nodes_ = 0;
  std::size_t jobs_ = 0;
  std::vector<std::string> pods_;
};

// The room of a node, less pods of others: of none, of those that never leave, or all. No
// pods here are of their nodes.
enum class Less : std::uint8_t { nothing, for_ever, others };

std::int64_t gives(const Cluster& cluster, NodeId node, Dimension d, Less less, QueueId queue) {
  std::int64_t amount = cluster.node(node).allocatable[d];
  for (const TaskId id : cluster.node(node).tasks) {
    const Task& task = cluster.task(id);
    const bool is_own =
        task.job.is_valid() && is_of_queue(cluster, cluster.queue_of(task.job), queue);
    if (less == Less::nothing || is_own || !occupies_node(task.status)) continue;
    if (less == Less::for_ever && !task.never_leaves) continue;
    amount -= cluster.shape_of(id).request[d];
  }
  return std::max<std::int64_t>(0, amount);
}

// NODES-8. Would the others be enough, even if all pods of others stay there? `asked` is what the
// plan says; the sums are made here.
std::string needless_nodes(const Cluster& cluster, const std::string& name,
                           const NamedQueueNodes& has) {
  QueueId queue;
  for (std::size_t q = 0; q < cluster.queue_slots(); ++q) {
    if (cluster.queue(QueueId(q)).exists && cluster.queue(QueueId(q)).name == name)
      queue = QueueId(q);
  }
  std::vector<NodeId> own;
  std::vector<NodeId> of_below;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const QueueId owner = cluster.node(NodeId(n)).queue_lock.queue;
    if (owner == queue) own.emplace_back(n);
    if (owner != queue && is_of_queue(cluster, owner, queue)) of_below.emplace_back(n);
  }
  if (has.asked_nodes > 0) {
    return own.size() > static_cast<std::size_t>(has.asked_nodes) ? "more nodes than asked for"
                                                                  : "";
  }
  if (!has.amounts.contains("asked")) return own.empty() ? "" : "nodes for nothing";
  for (const NodeId spare : own) {
    bool is_needed = false;
    for (const auto& [resource, asked] : has.amounts.at("asked")) {
      const Dimension d = cluster.dimensions().find(resource);
      std::int64_t missing = asked;
      for (const NodeId node : of_below) missing -= gives(cluster, node, d, Less::nothing, queue);
      for (const NodeId node : own) {
        missing -= node == spare ? 0 : gives(cluster, node, d, Less::others, queue);
      }
      is_needed = is_needed || (missing > 0 && gives(cluster, spare, d, Less::for_ever, queue) > 0);
    }
    if (!is_needed) return cluster.node(spare).name + " is not needed";
  }
  return "";
}

class Play {
 public:
  explicit Play(std::uint64_t seed) : story_(seed), world_(stage("", story_.config())) {
    bring(*world_, story_.opening());
  }

  World& world() { return *world_; }
  Story& story() { return story_; }
  const NamedPlan& last() const { return world_->last_plan(); }

  // Time passes, and nodes are chosen again.
  void session() {
    world_->advance(kPeriod);
    world_->plan();
    if (below(story_.random(), 4) != 0) world_->carry_out();
  }
  std::string faults() const { return world_->faults().empty() ? "" : world_->faults().front(); }
  std::string needless() const {
    for (const auto& [name, has] : last().queue_nodes) {
      const std::string fault = needless_nodes(world_->cluster(), name, has);
      if (!fault.empty())
        return "queue " + name + ": " + fault + ", by the plan\n" + last().to_string();
    }
    return "";
  }

 private:
  Story story_;
  std::unique_ptr<World> world_;
};

TEST(QueueNodes, HoldTheLawsInEverySession) {
  std::size_t locked = 0;
  std::size_t evicted = 0;
  for (const std::uint64_t seed : seeds_where_long(kSeeds)) {
    Play play(seed);
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      play.session();
      ASSERT_EQ(play.faults(), "") << "BERTH_SEED=" << seed << ", session " << cycle + 1;
      ASSERT_EQ(play.needless(), "") << "BERTH_SEED=" << seed << ", session " << cycle + 1;
      locked += play.last().relocked.size();
      for (const std::string& each : play.last().evictions) {
        evicted += each.find(" for queue ") != std::string::npos ? 1 : 0;
      }
      bring(play.world(), play.story().events(play.world()));
    }
  }
  EXPECT_GT(locked, 0U);
  if (seeds(kSeeds).size() > 1) {
    EXPECT_GT(evicted, 0U);
  }
}

// NODES-10, NODES-14
TEST(QueueNodes, UnchangedInputMovesNoLock) {
  for (const std::uint64_t seed : seeds_where_long(kSeeds)) {
    Play play(seed);
    if (play.story().has_targets()) continue;  // they come with time
    for (int cycle = 0; cycle < 3; ++cycle) {
      play.session();
      bring(play.world(), play.story().events(play.world()));
    }
    play.world().carry_out();
    int cycles = 0;
    NamedPlan before;
    do {
      before = play.last();
      play.world().advance(kPeriod);
      play.world().run();
      ASSERT_EQ(play.faults(), "") << "BERTH_SEED=" << seed;
      ASSERT_LT(++cycles, 40) << "BERTH_SEED=" << seed << "\n" << play.last().to_string();
    } while (!play.last().changes_nothing() || before.to_string() != play.last().to_string());
    before = play.last();
    for (int again = 0; again < 4; ++again) {
      play.world().advance(kPeriod);
      ASSERT_EQ(play.world().run().to_string(), before.to_string()) << "BERTH_SEED=" << seed;
    }
  }
}

// NODES-14. Also a restart in between changes nothing.
TEST(QueueNodes, AllAreOpenWhenItIsOff) {
  for (const std::uint64_t seed : seeds_where_long(kSeeds)) {
    Play play(seed);
    for (int cycle = 0; cycle < 3; ++cycle) {
      play.session();
      bring(play.world(), play.story().events(play.world()));
    }
    if (seed % 3 == 0) play.world().restart();
    const bool deletes = seed % 2 == 0;
    if (deletes) {
      for (std::size_t q = 0; q < Story::kQueues; ++q) {
        play.world().apply(QueueDeleted{"q" + std::to_string(q)});
      }
    } else {
      bring(play.world(), Story::off());
      play.world().advance(kPeriod);
    }
    play.world().plan();
    ASSERT_EQ(play.faults(), "") << "BERTH_SEED=" << seed;
    ASSERT_EQ(play.world().cluster().locks().for_queues(), 0U) << "BERTH_SEED=" << seed;
    ASSERT_TRUE(play.last().queue_nodes.empty()) << play.last().to_string();
  }
}

// NODES-10, NODES-14
TEST(QueueNodes, ARestartMovesNoLock) {
  for (const std::uint64_t seed : seeds_where_long(kSeeds)) {
    std::map<bool, std::string> nodes;
    for (const bool restarts : {false, true}) {
      Play play(seed);
      play.session();
      play.world().carry_out();
      play.world().advance(kPeriod);
      if (restarts) play.world().restart();
      play.world().plan();
      ASSERT_EQ(play.faults(), "") << "BERTH_SEED=" << seed;
      for (const std::string& each : play.last().relocked) nodes[restarts] += each + "\n";
    }
    ASSERT_EQ(nodes[false], nodes[true]) << "BERTH_SEED=" << seed;
  }
}

}  // namespace
}  // namespace berth::support::queue_nodes_test
