#include "packing/gpu_trace.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "berth/base/check.h"
#include "support/checkout.h"

namespace berth::support {

namespace {

constexpr double kCpuMost = 128'000;
constexpr double kMemoryMost = 1'048'576;
constexpr double kGpusMost = 8;

std::ifstream open(const std::string& name) {
  std::ifstream file(support::source_file("tests/packing/testdata/") + name + ".txt");
  BERTH_CHECK(file.good());
  return file;
}

// As it is filled.
struct Idle {
  TraceNode whole;
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
  std::int64_t gpus = 0;

  bool has_room_for(const TraceKind& kind) const {
    return kind.cpu <= cpu && kind.memory <= memory && kind.gpus <= gpus && kind.may_run_on(whole);
  }
  void take(const TraceKind& kind, int sign) {
    cpu -= sign * kind.cpu;
    memory -= sign * kind.memory;
    gpus -= sign * kind.gpus;
  }
};

class Reference {
 public:
  Reference(Policy policy, const std::vector<TraceNode>& nodes, const std::vector<TraceKind>& kinds,
            const std::vector<TraceJob>& jobs)
      : policy_(policy), kinds_(kinds), drawn_(kinds.size(), 0), costs_(kinds.size()) {
    for (const TraceNode& node : nodes) nodes_.push_back({node, node.cpu, node.memory, node.gpus});
    for (const TraceJob& job : jobs) drawn_[job.kind] += job.pods;
  }

  std::int64_t place(const std::vector<TraceJob>& jobs) {
    std::int64_t used = 0;
    for (const TraceJob& job : jobs) {
      const TraceKind& kind = kinds_[job.kind];
      std::vector<std::size_t> places;
      for (int i = 0; i < job.pods; ++i) {
        const std::size_t best = best_for(job.kind);
        if (best == nodes_.size()) break;
        take(best, kind, +1);
        places.push_back(best);
      }
      if (places.size() == static_cast<std::size_t>(job.pods)) {
        used += job.pods * kind.gpus;
      } else {
        for (const std::size_t each : places) take(each, kind, -1);
      }
    }
    return used;
  }

 private:
  // Costs are kept, and worked out anew for nodes that have changed.
  struct Costs {
    std::vector<double> of;  // by node
    std::size_t seen = 0;    // of the changes
  };
  static constexpr double kNoRoom = std::numeric_limits<double>::max();

  void take(std::size_t node, const TraceKind& kind, int sign) {
    nodes_[node].take(kind, sign);
    changes_.push_back(node);
  }

  std::size_t best_for(std::size_t k) {
    Costs& costs = costs_[k];
    const auto work_out = [&](std::size_t n) {
      costs.of[n] = nodes_[n].has_room_for(kinds_[k]) ? cost_of(nodes_[n], kinds_[k]) : kNoRoom;
    };
    if (costs.of.empty()) {
      costs.of.resize(nodes_.size());
      for (std::size_t n = 0; n < nodes_.size(); ++n) work_out(n);
      costs.seen = changes_.size();
    }
    for (; costs.seen < changes_.size(); ++costs.seen) work_out(changes_[costs.seen]);
    const auto best = std::min_element(costs.of.begin(), costs.of.end());
    return *best == kNoRoom ? nodes_.size() : static_cast<std::size_t>(best - costs.of.begin());
  }

  double cost_of(const Idle& node, const TraceKind& kind) const {
    Idle then = node;
    then.take(kind, +1);
    const auto part = [](double some, double whole) { return whole > 0 ? some / whole : 1; };
    const double fit = static_cast<double>(then.gpus) * 1e6 + static_cast<double>(then.cpu);
    switch (policy_) {
      case Policy::best_fit:
        return fit;
      case Policy::dot_product:
        return static_cast<double>(node.cpu * kind.cpu) / kCpuMost / kCpuMost +
               static_cast<double>(node.memory * kind.memory) / kMemoryMost / kMemoryMost +
               static_cast<double>(node.gpus * kind.gpus) / kGpusMost / kGpusMost;
      case Policy::packing: {
        const bool has_gpus = node.whole.gpus > 0;
        const double left =
            part(static_cast<double>(then.cpu), static_cast<double>(node.whole.cpu)) +
            part(static_cast<double>(then.memory), static_cast<double>(node.whole.memory)) +
            (has_gpus
                 ? 5 * part(static_cast<double>(then.gpus), static_cast<double>(node.whole.gpus))
                 : 0);
        return left / (has_gpus ? 7 : 2);
      }
      case Policy::fragmentation:
        return static_cast<double>(useless(then) - useless(node)) * 1e9 + fit;
    }
    return 0;
  }

  // The GPUs that a usual pod cannot use there: the mean over the pods, times their number.
  std::int64_t useless(const Idle& node) const {
    std::int64_t sum = 0;
    for (std::size_t k = 0; node.gpus > 0 && k < kinds_.size(); ++k) {
      const bool is_useless = kinds_[k].gpus == 0 || !node.has_room_for(kinds_[k]);
      if (drawn_[k] > 0 && is_useless) sum += drawn_[k] * node.gpus;
    }
    return sum;
  }

  Policy policy_;
  const std::vector<TraceKind>& kinds_;
  std::vector<std::int64_t> drawn_;
  std::vector<Idle> nodes_;
  std::vector<std::size_t> changes_;  // nodes, in their order
  std::vector<Costs> costs_;          // by kind
};

}  // namespace

bool TraceKind::may_run_on(const TraceNode& node) const {
  return gpus == 0 || models.empty() ||
         std::find(models.begin(), models.end(), node.model) != models.end();
}

std::vector<TraceNode> trace_nodes() {
  std::vector<TraceNode> nodes;
  std::ifstream file = open("nodes");
  TraceNode node;
  for (int count = 0; file >> node.cpu >> node.memory >> node.gpus >> node.model >> count;) {
    nodes.insert(nodes.end(), static_cast<std::size_t>(count), node);
  }
  return nodes;
}

std::vector<TraceKind> trace_kinds(const std::string& list) {
  std::vector<TraceKind> kinds;
  std::ifstream file = open(list);
  TraceKind kind;
  for (std::string models; file >> kind.cpu >> kind.memory >> kind.gpus >> models >> kind.pods;) {
    kind.models.clear();
    std::stringstream names(models == "-" ? "" : models);
    for (std::string name; std::getline(names, name, '|');) kind.models.push_back(name);
    kinds.push_back(kind);
  }
  return kinds;
}

std::int64_t gpus_of(const std::vector<TraceNode>& nodes) {
  std::int64_t sum = 0;
  for (const TraceNode& node : nodes) sum += node.gpus;
  return sum;
}

std::vector<TraceJob> draw(const std::vector<TraceKind>& kinds, std::uint64_t seed,
                           std::int64_t gpus, bool gangs) {
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    rows.insert(rows.end(), static_cast<std::size_t>(kinds[k].pods), k);
  }
  std::mt19937_64 random(seed);
  std::vector<TraceJob> jobs;
  for (std::int64_t sum = 0; sum * 100 < gpus * 120;
       sum += jobs.back().pods * kinds[jobs.back().kind].gpus) {
    TraceJob job{rows[random() % rows.size()], 1};
    if (gangs && random() % 10 >= 7) job.pods = static_cast<int>(2 + random() % 7);
    jobs.push_back(job);
  }
  return jobs;
}

std::int64_t place_by(Policy policy, const std::vector<TraceNode>& nodes,
                      const std::vector<TraceKind>& kinds, const std::vector<TraceJob>& jobs) {
  return Reference(policy, nodes, kinds, jobs).place(jobs);
}

}  // namespace berth::support
