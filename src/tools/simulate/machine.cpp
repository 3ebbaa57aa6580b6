#include "tools/simulate/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "berth/base/number.h"
#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "tools/simulate/values.h"
#include "traces/openb.h"

namespace berth::tools {

namespace {

constexpr std::int64_t kNodesMost = 100'000;
constexpr std::int64_t kPodsOfNode = 110;

Result<std::int64_t> count_of(const std::string& text, std::int64_t most, const char* flag) {
  const auto count = parse_number<std::int64_t>(text);
  if (count && *count >= 1 && *count <= most) return *count;
  return Error{fmt::format("\"{}\" is no number from 1 to {}", text, most), flag};
}

Result<NamedAmounts> amounts_of(const std::string& text) {
  NamedAmounts amounts;
  for (const std::string& part : split_list(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const std::string amount = equals == std::string::npos ? "" : part.substr(equals + 1);
    const Result<std::int64_t> value = parse_quantity(amount, scale_of(name));
    if (name.empty() || !value || *value == 0) {
      return Error{"\"" + part + "\" is no resource with an amount above 0, such as memory=16Gi",
                   "--node"};
    }
    if (!amounts.emplace(name, *value).second)
      return Error{"\"" + name + "\" twice, expected once", "--node"};
  }
  amounts.try_emplace("pods", kPodsOfNode);
  return amounts;
}

NodeObject node_of(std::string name, NamedAmounts amounts) {
  NodeObject node;
  node.labels["kubernetes.io/hostname"] = name;
  node.uid = name;
  node.name = std::move(name);
  node.allocatable = std::move(amounts);
  return node;
}

Result<std::vector<NodeObject>> listed_nodes(const std::string& file) {
  const Result<std::vector<traces::OpenbNode>> listed = traces::read_openb_nodes_file(file);
  if (!listed) return listed.error();
  std::vector<NodeObject> nodes;
  for (const traces::OpenbNode& each : *listed) {
    NamedAmounts amounts(each.amounts.begin(), each.amounts.end());
    amounts.try_emplace("pods", kPodsOfNode);
    nodes.push_back(node_of(each.name, std::move(amounts)));
    if (!each.model.empty()) nodes.back().labels[simulation::kModelLabel] = each.model;
  }
  return nodes;
}

// Of the node that has most.
std::int64_t most_processors(const std::vector<NodeObject>& nodes) {
  std::int64_t most = 0;
  for (const NodeObject& node : nodes) {
    const auto cpu = node.allocatable.find("cpu");
    if (cpu != node.allocatable.end()) most = std::max(most, cpu->second / 1000);
  }
  return most;
}

std::int64_t quotient_up(std::int64_t of, std::int64_t by) { return (of + by - 1) / by; }

std::string queue_key(const traces::TraceJob& job, const std::string& by) {
  if (by == "user") return job.user;
  if (by == "group") return job.group;
  return by == "queue" ? job.queue : std::string();
}

// A name of ours from any text.
std::string queue_name(const std::string& by, const std::string& key) {
  std::string name = by + "-";
  for (const char c : key) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool is_upper = c >= 'A' && c <= 'Z';
    name += is_plain ? c : is_upper ? static_cast<char>(c - 'A' + 'a') : '-';
  }
  return name + "-q";
}

}  // namespace

Result<std::vector<NodeObject>> machine_of(const MachineFlags& flags) {
  if (!flags.node_list.empty() && !flags.nodes.empty()) {
    return Error{"given with --node-list, expected one of them", "--nodes"};
  }
  if (!flags.node_list.empty()) return listed_nodes(flags.node_list);
  if (flags.nodes.empty()) {
    return Error{"missing, expected the number of nodes, or --node-list", "--nodes"};
  }
  const Result<std::int64_t> count = count_of(flags.nodes, kNodesMost, "--nodes");
  if (!count) return count.error();
  const Result<NamedAmounts> amounts = amounts_of(flags.node);
  if (!amounts) return amounts.error();
  std::vector<NodeObject> nodes;
  for (std::int64_t n = 0; n < *count; ++n) {
    nodes.push_back(node_of(fmt::format("node-{:05}", n), *amounts));
  }
  return nodes;
}

double size_of(const NamedAmounts& request, const std::vector<NodeObject>& nodes) {
  double size = 0;
  for (const auto& [name, amount] : request) {
    std::int64_t most = 0;
    for (const NodeObject& node : nodes) {
      const auto has = node.allocatable.find(name);
      if (has != node.allocatable.end()) most = std::max(most, has->second);
    }
    if (most > 0) size = std::max(size, static_cast<double>(amount) / static_cast<double>(most));
  }
  return size;
}

Result<Workload> workload_of(const traces::Trace& trace, const std::vector<NodeObject>& nodes,
                             const Shaping& shaping) {
  Workload workload;
  const std::int64_t of_node = most_processors(nodes);
  const std::int64_t of_pod = shaping.processors_per_pod > 0 ? shaping.processors_per_pod : of_node;
  std::set<std::string> queues;
  for (const traces::TraceJob& from : trace.jobs) {
    simulation::StreamJob job;
    job.name = fmt::format("job-{}", workload.jobs.size());
    job.submit = from.submit;
    job.run = from.run;
    job.limit = from.limit;
    job.cancelled_after = from.cancelled_after;
    job.request = NamedAmounts(from.request.begin(), from.request.end());
    job.models = from.models;
    if (job.request.empty()) {
      if (of_pod == 0) return Error{"less than cpu=1, but jobs ask for processors", "--node"};
      if (of_pod > of_node) {
        return Error{fmt::format("\"{}\" is more than the {} of a node", of_pod, of_node),
                     "--pod-processors"};
      }
      const std::int64_t fixed = std::min(shaping.pods_per_job, from.processors);
      const std::int64_t pods = fixed > 0 ? fixed : quotient_up(from.processors, of_pod);
      job.pods = static_cast<std::int32_t>(pods);
      job.request["cpu"] = (fixed > 0 ? quotient_up(from.processors, fixed) : of_pod) * 1000;
    }
    if (const std::string key = queue_key(from, shaping.queue_by); !key.empty()) {
      job.queue = queue_name(shaping.queue_by, key);
      queues.insert(job.queue);
    }
    results::JobResult known;
    known.id = from.id;
    known.user = from.user;
    known.queue = job.queue.empty() ? from.queue : job.queue;
    known.submit = in_seconds(from.submit);
    known.run = in_seconds(from.run);
    if (from.limit) known.limit = in_seconds(*from.limit);
    known.pods = job.pods;
    known.size = job.pods * size_of(job.request, nodes);
    workload.known.push_back(std::move(known));
    workload.jobs.push_back(std::move(job));
  }
  for (const std::string& name : queues) {
    QueueObject queue;
    queue.name = name;
    queue.uid = name;
    workload.queues.emplace_back(std::move(queue));
  }
  return workload;
}

results::RunResult result_of(const Workload& workload, const std::vector<NodeObject>& nodes,
                             const simulation::StreamResult& stream) {
  // Where it ran is drawn; beyond this it is neither drawn nor kept.
  constexpr std::size_t kPlacesMost = 1'000'000;
  results::RunResult result;
  result.nodes = static_cast<double>(nodes.size());
  for (const NodeObject& node : nodes) result.node_names.push_back(node.name);
  result.jobs = workload.known;
  result.simulated_until = in_seconds(stream.until);
  result.idle_reserved = stream.idle_kept;
  result.sessions = static_cast<std::int64_t>(stream.sessions);
  std::size_t places = 0;
  for (std::size_t i = 0; i < result.jobs.size(); ++i) {
    results::JobResult& job = result.jobs[i];
    const simulation::StreamOutcome& outcome = stream.jobs[i];
    if (outcome.start) job.start = in_seconds(*outcome.start);
    if (outcome.end) job.end = in_seconds(*outcome.end);
    job.evictions = static_cast<std::int64_t>(outcome.earlier.size());
    job.was_cancelled = outcome.was_cancelled;
    if (outcome.was_cancelled) job.end = job.submit + in_seconds(*workload.jobs[i].cancelled_after);
    job.lost = job.size * in_seconds(outcome.lost);
    for (const auto& [start, end] : outcome.earlier) {
      job.earlier_runs.emplace_back(in_seconds(start), in_seconds(end));
    }
    places += outcome.nodes.size();
    if (places > kPlacesMost) continue;
    const double share = job.size / static_cast<double>(std::max<std::int64_t>(1, job.pods));
    for (const std::int32_t node : outcome.nodes) job.nodes.emplace_back(node, share);
  }
  return result;
}

}  // namespace berth::tools
