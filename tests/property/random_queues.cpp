#include "property/random_queues.h"

#include <limits>

#include "plugins/proportion/queue_division.h"

namespace berth::support {

namespace {

constexpr std::size_t kQueuesMost = 200;
constexpr std::size_t kTops = 7;  // the first of them have parents above the others

}  // namespace

RandomQueues::RandomQueues(std::uint64_t seed, std::uint64_t order) : random_(seed) {
  std::vector<ClusterEvent> events;
  const std::int64_t nodes = between(1, 4);
  for (std::int64_t n = 0; n < nodes; ++n) {
    NodeObject node;
    node.name = "n" + std::to_string(n);
    node.uid = node.name;
    node.allocatable = {{"cpu", between(1, 64) * 1000}, {"memory", between(0, 64) << 30}};
    node.allocatable["pods"] = 20;
    if (chance(5)) node.allocatable["memory"] = std::numeric_limits<std::int64_t>::max();
    if (chance(50)) node.allocatable["nvidia.com/gpu"] = between(1, 8);
    events.emplace_back(node);
  }
  const std::size_t queues =
      1 + below(random_, below(random_, 20) == 0 ? kQueuesMost - 1 : std::size_t{20});
  for (std::size_t q = 0; q < queues; ++q) events.emplace_back(queue(q));
  const std::size_t pods = below(random_, 30);
  for (std::size_t p = 0; p < pods; ++p) events.emplace_back(pod(p, queues));
  if (order != 0) {
    Random other(order);
    shuffle(events, other);
  }
  for (const ClusterEvent& event : events) mirror_.apply(event);
  mirror_.settle(TimePoint());
}

NamedAmounts RandomQueues::amounts(std::int64_t most, std::size_t percent) {
  NamedAmounts amounts;
  if (chance(percent)) amounts["cpu"] = between(0, most) * 500;
  if (chance(percent)) amounts["memory"] = between(0, most) << 29;
  if (chance(percent)) amounts["nvidia.com/gpu"] = between(0, most / 4);
  if (chance(3)) amounts["memory"] = std::numeric_limits<std::int64_t>::max();
  return amounts;
}

QueueObject RandomQueues::queue(std::size_t number) {
  QueueObject queue = mirror::bare_queue("q" + std::to_string(number));
  queue.weight = static_cast<std::int32_t>(chance(20) ? between(1, 65'535) : between(1, 4));
  queue.guarantee = amounts(chance(10) ? 200 : 8, 25);
  queue.capability = amounts(60, 20);
  queue.deserved = amounts(30, 20);
  if (chance(10)) {
    queue.guarantee_share_of = {"cpu", "nvidia.com/gpu"};
    queue.guarantee_share_billionths =
        static_cast<std::int32_t>(between(0, chance(20) ? 1000 : 200) * 1'000'000);
  }
  if (chance(5)) queue.state = chance(50) ? QueueState::closed : QueueState::closing;
  if (chance(2)) queue.fault = "weight: not a number";
  // Three levels: the first few hang on the root, then come those below them, then the rest.
  if (number >= 2 && chance(60)) {
    const std::size_t above = number < kTops ? number / 2 : kTops;
    queue.parent = "q" + std::to_string(below(random_, above));
  }
  if (chance(1)) queue.parent = "q" + std::to_string(below(random_, kQueuesMost));
  return queue;
}

PodObject RandomQueues::pod(std::size_t number, std::size_t queues) {
  PodObject pod;
  pod.name_space = "default";
  pod.name = "p" + std::to_string(number);
  pod.uid = pod.full_name();
  pod.scheduler_name = chance(85) ? "berth" : "default-scheduler";
  pod.queue = "q" + std::to_string(below(random_, queues + 1));
  pod.request = {{"pods", 1}, {"cpu", between(0, 20) * 500}, {"memory", between(0, 20) << 29}};
  if (chance(30)) pod.request["nvidia.com/gpu"] = between(1, 4);
  if (chance(15)) pod.gates.push_back("example.com/wait");
  if (chance(50)) {
    pod.node_name = "n" + std::to_string(below(random_, 5));
    pod.phase = PodPhase::running;
  }
  return pod;
}

std::string RandomQueues::named_shares(bool lends) const {
  engine::QueueTree tree;
  tree.refresh(cluster());
  Plan plan;
  plan.shares = plugins::QueueDivision().divide(cluster(), tree, lends);
  std::string text;
  for (const auto& [what, by_queue] : by_names(cluster(), plan).shares) {
    for (const auto& [queue, amounts] : by_queue) {
      for (const auto& [resource, amount] : amounts) {
        text += what + " " + queue + " " + resource + " " + std::to_string(amount) + "\n";
      }
    }
  }
  return text;
}

}  // namespace berth::support
