// How near each other the pods of gangs are on 4,096 GPUs under a stream of jobs, which come and
// end at their own times: docs/performance.md. Nothing is measured in seconds of this machine.

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "berth/model/cluster.h"
#include "synthetic.h"

namespace berth::bench {
namespace {

using std::chrono::minutes;

constexpr int kGpuNodes = 512;  // of 8 GPUs
constexpr int kNodesOfRack = 16;
constexpr int kNodesOfBlock = 64;
constexpr std::size_t kStreamJobs = 4'000;
constexpr double kMeanMinutes = 60;
constexpr double kLoad = 0.85;  // of all GPUs, if nothing waited

// Nodes, of all their GPUs, and how often of 100.
constexpr std::array<std::pair<int, int>, 7> kSizes{
    {{1, 30}, {2, 20}, {4, 20}, {8, 15}, {16, 10}, {32, 4}, {64, 1}}};

enum class Wish : std::uint8_t { none, preferred, required };

struct StreamJob {
  int pods = 1;
  int gpus = 8;  // of each pod
  Duration lasts{};
  TimePoint comes{};
};

// The same jobs at the same times, whatever is wished.
std::vector<StreamJob> make_jobs() {
  std::mt19937_64 random(4'096);
  std::exponential_distribution<double> gap(1.0);
  double nodes = 0;
  std::vector<StreamJob> jobs(kStreamJobs);
  for (StreamJob& job : jobs) {
    job.lasts = minutes(5) + std::chrono::seconds(
                                 static_cast<std::int64_t>(60 * (kMeanMinutes - 5) * gap(random)));
    if (random() % 10 < 4) {  // parts of nodes
      job.gpus = 1 << (random() % 3);
      job.pods = 1 + static_cast<int>(random() % 8);
    } else {
      int of_100 = static_cast<int>(random() % 100);
      for (const auto& [size, often] : kSizes) {
        job.pods = size;
        if ((of_100 -= often) < 0) break;
      }
    }
    nodes += job.pods * job.gpus / 8.0;
  }
  const double mean_gap = nodes / kStreamJobs * kMeanMinutes / (kLoad * kGpuNodes);  // in minutes
  double now = 0;
  for (StreamJob& job : jobs) {
    now += mean_gap * gap(random);
    job.comes = TimePoint() + std::chrono::seconds(static_cast<std::int64_t>(60 * now));
  }
  return jobs;
}

class Stream {
 public:
  explicit Stream(Wish wish) : wish_(wish), jobs_(make_jobs()) {
    mirror_.apply(
        TopologyObject{LevelsObject{TopologyKind::kueue, "gpus", {{"block"}, {"rack"}}, {}}});
    for (int n = 0; n < kGpuNodes; ++n) {
      NodeObject node;
      node.name = "n" + std::to_string(1'000 + n);
      node.uid = node.name;
      node.labels = {{"rack", "r" + std::to_string(n / kNodesOfRack)},
                     {"block", "b" + std::to_string(n / kNodesOfBlock)}};
      node.allocatable = {{"cpu", 64'000}, {"pods", 110}, {"nvidia.com/gpu", 8}};
      mirror_.apply(node);
      number_of_[node.name] = n;
    }
    engine::SessionConfig config = default_config();
    const engine::Arguments best_fit({{"binpack.weight", {"10", false, ""}},
                                      {"binpack.resources", {"nvidia.com/gpu", false, ""}},
                                      {"binpack.resources.nvidia.com/gpu", {"10", false, ""}}});
    config.tiers[1].push_back({{"binpack", ""}, {}, best_fit});
    scheduler_.emplace(engine::Scheduler::create(config).value());
  }

  void run() {
    for (std::size_t i = 0; i < jobs_.size();) {
      const bool ends_first = !ends_.empty() && ends_.top().first <= jobs_[i].comes;
      const TimePoint now = ends_first ? ends_.top().first : jobs_[i].comes;
      busy_ += static_cast<double>(gpus_in_use_) * seconds(now - now_);
      now_ = now;
      if (ends_first) {
        end(ends_.top().second);
        ends_.pop();
      } else {
        come(i++);
      }
      decide();
    }
  }

  void report(benchmark::State& state) const {
    const auto share = [](double part, double all) { return all == 0 ? 0 : 100 * part / all; };
    state.counters["one_rack_%"] = share(in_one_rack_, fit_rack_);
    state.counters["one_block_%"] = share(in_one_block_, fit_block_);
    state.counters["levels_crossed"] = crossed_ / neighbours_;
    state.counters["busy_%"] = 100 * busy_ / (seconds(now_ - TimePoint()) * kGpuNodes * 8);
    state.counters["wait_min"] = waited_ / 60 / started_;
    state.counters["jobs_started"] = started_;
  }

 private:
  static double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
  }
  static std::string name_of(std::size_t job) { return "j" + std::to_string(job); }

  void come(std::size_t number) {
    const StreamJob& job = jobs_[number];
    PodGroupObject group;
    group.scheduler = "berth";
    group.name_space = "ml";
    group.name = name_of(number);
    group.uid = "group:" + group.name;
    group.created = now_;
    group.min_member = job.pods;
    // A job that no rack can hold asks for a block.
    const bool fits_rack = job.pods * job.gpus <= 8 * kNodesOfRack;
    const LevelName level{.name = fits_rack ? "rack" : "block"};
    NearRule rule{.written = "bench"};
    (wish_ == Wish::required ? rule.required : rule.preferred) = level;
    if (wish_ != Wish::none) group.topology.rules = {rule};
    mirror_.apply(group);
    for (int index = 0; index < job.pods; ++index) {
      PodObject pod;
      pod.name_space = "ml";
      pod.group = group.name;
      pod.name = group.name + "-" + std::to_string(index);
      pod.uid = pod.name;
      pod.index = index;
      pod.created = now_;
      pod.scheduler_name = "berth";
      pod.request = {{"cpu", 1'000}, {"pods", 1}, {"nvidia.com/gpu", job.gpus}};
      mirror_.apply(pod);
      pods_.emplace(pod.uid, std::pair(pod, number));
    }
  }

  void end(std::size_t number) {
    const StreamJob& job = jobs_[number];
    for (int index = 0; index < job.pods; ++index) {
      const std::string uid = name_of(number) + "-" + std::to_string(index);
      mirror_.apply(PodDeleted{uid});
      pods_.erase(uid);
    }
    mirror_.apply(PodGroupDeleted{"ml/" + name_of(number)});
    gpus_in_use_ -= job.pods * job.gpus;
  }

  void decide() {
    mirror_.settle(now_);
    const Plan plan = scheduler_->run(mirror_.cluster_for_session(), now_);
    const Cluster& cluster = mirror_.cluster();
    std::map<std::size_t, std::map<std::int64_t, int>> started;  // node by rank, by job
    std::vector<PodObject> bound;
    for (const Placement& each : plan.binds) {
      auto& [pod, job] = pods_.at(cluster.task(each.task).uid);
      pod.node_name = cluster.node(each.node).name;
      pod.phase = PodPhase::running;
      started[job][pod.index] = number_of_.at(pod.node_name);
      bound.push_back(pod);
    }
    for (const PodObject& pod : bound) mirror_.apply(pod);
    for (const auto& [job, ranks] : started) count(job, ranks);
    mirror_.settle(now_);
  }

  void count(std::size_t number, const std::map<std::int64_t, int>& ranks) {
    const StreamJob& job = jobs_[number];
    ends_.emplace(now_ + job.lasts, number);
    gpus_in_use_ += job.pods * job.gpus;
    waited_ += seconds(now_ - job.comes);
    ++started_;
    if (job.pods == 1) return;
    const int first = ranks.begin()->second;
    int before = first;
    bool one_rack = true;
    bool one_block = true;
    for (auto at = std::next(ranks.begin()); at != ranks.end(); ++at) {
      const int node = at->second;
      const bool same_block = node / kNodesOfBlock == before / kNodesOfBlock;
      const bool same_rack = node / kNodesOfRack == before / kNodesOfRack;
      crossed_ += node == before ? 0 : same_rack ? 1 : same_block ? 2 : 3;
      ++neighbours_;
      one_rack = one_rack && node / kNodesOfRack == first / kNodesOfRack;
      one_block = one_block && node / kNodesOfBlock == first / kNodesOfBlock;
      before = node;
    }
    const int gpus = job.pods * job.gpus;
    fit_rack_ += gpus <= 8 * kNodesOfRack ? 1 : 0;
    in_one_rack_ += one_rack ? 1 : 0;
    fit_block_ += gpus <= 8 * kNodesOfBlock ? 1 : 0;
    in_one_block_ += one_block ? 1 : 0;
  }

  using End = std::pair<TimePoint, std::size_t>;

  const Wish wish_;
  const std::vector<StreamJob> jobs_;
  mirror::Mirror mirror_;
  std::optional<engine::Scheduler> scheduler_;
  std::map<std::string, int> number_of_;                           // by name of the node
  std::map<std::string, std::pair<PodObject, std::size_t>> pods_;  // and their jobs, by uid
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  TimePoint now_;
  int gpus_in_use_ = 0;
  double busy_ = 0;
  double waited_ = 0;
  double started_ = 0;
  double fit_rack_ = 0;
  double in_one_rack_ = 0;
  double fit_block_ = 0;
  double in_one_block_ = 0;
  double crossed_ = 0;
  double neighbours_ = 0;
};

// `wish`: 0 none (best fit by GPUs), 1 preferred, 2 required.
void GangsOnGpus(benchmark::State& state) {
  for (auto _ : state) {
    Stream stream(static_cast<Wish>(state.range(0)));
    stream.run();
    stream.report(state);
  }
}
BENCHMARK(GangsOnGpus)->ArgName("wish")->DenseRange(0, 2)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace berth::bench
