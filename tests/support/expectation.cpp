#include "support/expectation.h"

#include <algorithm>
#include <cctype>

#include "support/cluster_text.h"

namespace berth::support {

namespace {

bool lists(const std::vector<std::string>& items, const std::string& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

bool any_starts_with(const std::vector<std::string>& items, const std::string& start) {
  return std::any_of(items.begin(), items.end(),
                     [&](const std::string& item) { return item.starts_with(start); });
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// "expect j1/3 evicted for j2 by preempt as surplus", "... for queue q"
bool check_evicted(const std::string& pod, const SceneLine& line, const World& world) {
  const auto& evictions = world.last_plan().evictions;
  return std::any_of(evictions.begin(), evictions.end(), [&](const std::string& eviction) {
    bool is_so = eviction.starts_with(pod + " from ");
    for (std::size_t w = 3; w + 1 < line.words().size(); w += 2) {
      const std::string key = line.word(w);
      std::string value = line.word(w + 1);
      if (key == "for" && value == "queue") {
        value += " " + line.word(++w + 1);
      } else if (key == "for" && value != "nobody") {
        value = full_name(value);
      }
      is_so = is_so && (eviction + " ").find(" " + key + " " + value + " ") != std::string::npos;
    }
    return is_so;
  });
}

// "expect j1 considered by preempt not_enough_leave 3/5 of 3 pods", "expect j1 spares by preempt
// not_lower 3 pods"
std::string check_considered(const Job& job, const SceneLine& line, const NamedPlan& plan) {
  const bool is_spared = line.word(2) == "spares";
  const std::vector<std::string>& found = is_spared ? plan.spared : plan.considered;
  if (line.word(3) == "nothing") {
    return any_starts_with(found, job.name + " ") ? "something was" : "";
  }
  const std::string rest = line.text().substr(line.text().find(" by "));
  return any_starts_with(found, job.name + rest) ? "" : "it was considered otherwise";
}

std::string check_pod(const std::string& pod, const SceneLine& line, const World& world) {
  const std::string what = line.word(2);
  const TaskId id = world.task(pod);
  if (what == "gone") return id.is_valid() ? pod + " is still there" : "";
  if (!id.is_valid()) return "there is no pod \"" + pod + "\"";
  const Task& task = world.cluster().task(id);
  const std::string is =
      pod + " is " + to_string(task.status) +
      (task.node.is_valid() ? " on " + world.cluster().node(task.node).name : "");
  if (what == "on") {
    const bool there = task.node.is_valid() && occupies_node(task.status) &&
                       world.cluster().node(task.node).name == line.word(3);
    return there ? "" : is;
  }
  if (what == "placed") return is_allocated(task.status) ? "" : is;
  if (what == "planned") return task.status == TaskStatus::binding ? "" : is;
  if (what == "pending") return task.status == TaskStatus::pending ? "" : is;
  if (what == "leaving") return task.status == TaskStatus::releasing ? "" : is;
  if (what == "evicted") return check_evicted(pod, line, world) ? "" : is;
  if (what == "pipelined") {
    const auto& claims = world.last_plan().pipelined;
    const bool holds = line.word(3) == "on" ? lists(claims, pod + " on " + line.word(4))
                                            : any_starts_with(claims, pod + " on ");
    return holds ? "" : is + " and has no such claim";
  }
  return "unknown expectation \"" + what + "\" of a pod";
}

std::string check_amounts(SceneLine& line, const std::string& who,
                          const std::function<std::int64_t(const std::string&)>& amount_of) {
  const NamedAmounts amounts = line.amounts();
  if (amounts.empty()) return "expected amounts such as cpu=2";
  for (const auto& [name, amount] : amounts) {
    const std::int64_t have = amount_of(name);
    if (have != amount) return who + " is " + std::to_string(have) + " in " + name;
  }
  return "";
}

Dimension dimension_named(const Cluster& cluster, const std::string& name) {
  for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
    if (cluster.dimensions().name(Dimension(d)) == name) return Dimension(d);
  }
  return Dimension(cluster.dimensions().size());
}

// "expect queue q1 deserved|guarantee|capability gpu=10"
std::string check_share(SceneLine& line, const NamedPlan& plan) {
  const std::string what = line.word(3);
  const auto shares = plan.shares.find(what);
  if (shares == plan.shares.end()) return "nobody says what is " + what;
  const auto queue = shares->second.find(line.word(2));
  return check_amounts(line, what, [&](const std::string& name) {
    if (queue == shares->second.end()) return std::int64_t{0};
    const auto amount = queue->second.find(name);
    return amount == queue->second.end() ? 0 : amount->second;
  });
}

// The words after "expect queue q what".
std::string rest_of(const SceneLine& line) {
  std::string text;
  for (std::size_t w = 4; w < line.words().size(); ++w) {
    text += (text.empty() ? "" : " ") + line.word(w);
  }
  return text;
}

// 701754 -> "0.702"
std::string thousandths_text(std::int32_t millionths) {
  const std::string digits = std::to_string(10'000 + (millionths + 500) / 1000);
  return digits.substr(1, 1) + "." + digits.substr(2);
}

// "expect queue q nodes 2", "expect queue q nodes n1 n2"
std::string check_nodes_of(QueueId queue, const SceneLine& line, const Cluster& cluster) {
  std::string names;
  std::size_t count = 0;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    if (cluster.node(NodeId(n)).queue_lock.queue != queue) continue;
    ++count;
    names += (names.empty() ? "" : " ") + cluster.node(NodeId(n)).name;
  }
  const std::string expected = rest_of(line);
  const bool holds = expected == names || expected == std::to_string(count);
  return holds ? "" : "it has " + (names.empty() ? "none" : names);
}

// "expect queue q met|unmet|reserves nothing|lacks TEXT|clipped TEXT|score 0.702|missing cpu=4"
std::string check_queue_nodes(SceneLine& line, const NamedPlan& plan) {
  const std::string what = line.word(3);
  const auto found = plan.queue_nodes.find(line.word(2));
  if (what == "reserves") {
    if (line.word(4) != "nothing") return "expected \"reserves nothing\"";
    return found == plan.queue_nodes.end() ? "" : "it is " + found->second.to_string();
  }
  if (found == plan.queue_nodes.end()) return "it asks for no nodes, and has none";
  const NamedQueueNodes& has = found->second;
  const std::string is = "it is " + has.to_string();
  if (what == "met") return has.is_met ? "" : is;
  if (what == "unmet") return has.is_met ? is : "";
  if (what == "lacks" || what == "clipped") {
    const std::string& text = what == "lacks" ? has.choice.lacks : has.clipped;
    const std::string expected = rest_of(line);
    if (expected == "nothing") return text.empty() ? "" : is;
    return expected.empty() || text.find(expected) == std::string::npos ? is : "";
  }
  if (what == "score") {
    const std::string score = thousandths_text(has.choice.score_millionths);
    return line.word(4) == score ? "" : "its score is " + score;
  }
  return check_amounts(line, what, [&](const std::string& name) {
    const auto amounts = has.amounts.find(what);
    if (amounts == has.amounts.end()) return std::int64_t{0};
    const auto amount = amounts->second.find(name);
    return amount == amounts->second.end() ? 0 : amount->second;
  });
}

std::string check_queue(QueueId id, SceneLine& line, const World& world) {
  const Cluster& cluster = world.cluster();
  const std::string what = line.word(3);
  if (what == "allocated") {
    return check_amounts(line, what, [&](const std::string& name) {
      return cluster.queue(id).allocated[dimension_named(cluster, name)];
    });
  }
  if (what == "nodes") return check_nodes_of(id, line, cluster);
  const std::vector<std::string> of_nodes{"met",     "unmet",   "reserves", "lacks",
                                          "clipped", "score",   "asked",    "idle",
                                          "own",     "leaving", "missing"};
  if (lists(of_nodes, what)) return check_queue_nodes(line, world.last_plan());
  return check_share(line, world.last_plan());
}

// "expect n1 locked j1|kept-for q|kept-for nobody|open", "expect n1 idle cpu=2"
std::string check_node(NodeId id, SceneLine& line, const Cluster& cluster) {
  const Node& node = cluster.node(id);
  const std::string what = line.word(2);
  if (what == "locked" || what == "kept-for" || what == "open") {
    const JobId target = node.lock.job;
    const QueueId queue = node.queue_lock.queue;
    const std::string locked = target.is_valid() ? cluster.job(target).name : "nobody";
    const std::string kept = queue.is_valid() ? cluster.queue(queue).name : "nobody";
    bool holds = !target.is_valid() && !queue.is_valid();
    if (what == "locked") holds = target.is_valid() && locked == full_name(line.word(3));
    if (what == "kept-for") holds = kept == line.word(3);
    return holds ? "" : node.name + " is locked for " + locked + ", kept for " + kept;
  }
  return check_amounts(line, "idle of " + node.name, [&](const std::string& name) {
    const Dimension dimension = dimension_named(cluster, name);
    return dimension.index() < cluster.dimensions().size() ? cluster.idle().at(id, dimension) : 0;
  });
}

std::string check_reason(const SceneLine& line, const NamedRefusal* why) {
  const std::string reason = line.word(3);
  if (reason.empty()) return "";
  if (reason == "no-reason") return why == nullptr ? "" : "it is refused: " + why->message;
  if (why == nullptr) return "it is not refused";
  const std::string is = "it is refused: " + std::string(code(why->reason)) + " " +
                         std::to_string(why->have) + "/" + std::to_string(why->need) + " " +
                         why->what + ": " + why->message;
  if (code(why->reason) != reason) return is;
  for (std::size_t w = 4; w < line.words().size(); ++w) {
    const std::string& word = line.word(w);
    const bool is_name = word == why->what;
    if (!is_name && word != std::to_string(why->have) + "/" + std::to_string(why->need)) return is;
  }
  return "";
}

// "expect j1 target WHY", "expect j1 reserves by multi-node on n1 n2, cpu 0/4000"
std::string check_target(const Job& job, const SceneLine& line, const NamedPlan& plan) {
  const std::string what = line.word(2);
  const std::size_t begin = line.text().find(" " + what) + 1 + what.size();
  const std::string rest = line.text().substr(begin);  // with its space
  if (what == "ended") {
    return any_starts_with(plan.ended, job.name + rest) ? "" : "it has not ended so";
  }
  if (what == "reserves") {
    if (any_starts_with(plan.reservations, job.name + rest)) return "";
    return plan.reservations.empty() ? "nothing is reserved" : plan.reservations.front();
  }
  if (!job.election) return what == "no-target" ? "" : "it is no target";
  if (what == "no-target") return "it is a target";
  const bool is_reason =
      rest.empty() || job.election->why.find(rest.substr(1)) != std::string::npos;
  return is_reason ? "" : "it is one because " + job.election->why;
}

std::string check_owner(const Job& job, const std::string& what) {
  const char* const words[] = {"ours", "others", "unclaimed"};
  const std::string is = words[static_cast<std::size_t>(job.owner)];
  return is == what ? "" : "it is " + is;
}

std::string check_job(const Job& job, const SceneLine& line, const World& world) {
  const std::string what = line.word(2);
  const NamedPlan& plan = world.last_plan();
  const auto found = plan.refusals.find(job.name);
  const NamedRefusal* why = found == plan.refusals.end() ? nullptr : &found->second;
  if (what == "admitted") {
    return lists(plan.admitted, job.name) ? "" : "it was not admitted by the last session";
  }
  if (what == "returned") {
    return lists(plan.returned, job.name) ? "" : "it was not sent back by the last session";
  }
  if (what == "ours" || what == "others" || what == "unclaimed") return check_owner(job, what);
  if (what == "placed") {
    const std::string have = std::to_string(job.placed_count());
    return have == line.word(3) ? "" : "it has " + have + " placed";
  }
  if (what == "target" || what == "no-target" || what == "reserves" || what == "ended") {
    return check_target(job, line, plan);
  }
  if (what == "considered" || what == "spares") return check_considered(job, line, plan);
  if (what == "claims") {
    const std::string text = claims_of(world.cluster(), job);
    std::string claims = text.empty() ? "" : text.substr(text.find(' '));
    claims = claims.substr(0, claims.find(" +"));
    std::string expected;
    for (std::size_t w = 3; w < line.words().size(); ++w) expected += " " + line.word(w);
    return claims == (expected == " nothing" ? "" : expected) ? "" : "it claims" + claims;
  }
  if (what == "priority") {
    const std::string have = std::to_string(job.priority);
    return have == line.word(3) ? "" : "its priority is " + have;
  }
  if (what == "queue") return job.queue_name == line.word(3) ? "" : "it is in " + job.queue_name;
  if (what == "says" || what == "omits") {
    const std::string text =
        line.text().substr(line.text().find(" " + what + " ") + what.size() + 2);
    if (why == nullptr) return "it is not refused";
    const bool has = why->message.find(text) != std::string::npos;
    return has == (what == "says") ? "" : "it says: " + why->message;
  }
  if (lower(to_string(job.phase)) != what) {
    return "its phase is " + lower(to_string(job.phase)) +
           (why == nullptr ? "" : "; it is refused: " + why->message);
  }
  return check_reason(line, why);
}

}  // namespace

std::string check_expectation(SceneLine& line, const World& world) {
  const Cluster& cluster = world.cluster();
  const std::string subject = line.word(1);
  if (subject == "nothing") {
    return world.last_plan().changes_nothing() ? "" : "the last plan acts";
  }
  if (subject == "nobody" && line.word(2) == "evicted") {
    return world.last_plan().evictions.empty() ? "" : "somebody is evicted";
  }
  if (subject == "queue") {
    for (std::size_t q = 0; q < cluster.queue_slots(); ++q) {
      const Queue& queue = cluster.queue(QueueId(q));
      if (!queue.exists || queue.name != line.word(2)) continue;
      return check_queue(QueueId(q), line, world);
    }
    return "there is no queue \"" + line.word(2) + "\"";
  }
  if (const NodeId node = cluster.find_node(subject); node.is_valid()) {
    return check_node(node, line, cluster);
  }
  const JobId job = world.job(full_name(subject));
  const bool of_pod = subject.find('/') != std::string::npos || line.word(2) == "on" ||
                      line.word(2) == "gone" || line.word(2) == "planned" ||
                      line.word(2) == "evicted";
  if (job.is_valid() && !of_pod) return check_job(cluster.job(job), line, world);
  const auto names = pod_names(subject);
  if (!names) return names.error().message;
  for (const std::string& name : *names) {
    if (std::string fault = check_pod(name, line, world); !fault.empty()) return fault;
  }
  return "";
}

}  // namespace berth::support
