#include "embedded/kube_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "embedded/extender_wire.h"
#include "embedded/pod_json.h"
#include "ports/plan_table.h"

namespace berth::embedded {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLongestRetry = 1s;

std::vector<std::string_view> views_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

std::vector<std::string> names_of(const std::vector<const SchedulerCache::Node*>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const SchedulerCache::Node* node : nodes) names.push_back(node->object.name);
  return names;
}

// All messages are our own, and need no escapes.
std::string status_patch(const char* reason, const std::string& message) {
  return fmt::format(R"({{"status":{{"conditions":[{{"type":"PodScheduled","status":"False",)"
                     R"("reason":"{}","message":"{}"}}]}}}})",
                     reason, message);
}

}  // namespace

KubeScheduler::KubeScheduler(Options options, Parts parts)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      queue_(options_.initial_backoff, options_.max_backoff, options_.pops_from_backoff),
      calls_(parts_.executor, parts_.link, parts_.extender) {
  for (const auto& [name, node] : parts_.server.all<NodeObject>()) cache_.put(node.object);
  parts_.informer.set_handlers({[this](const ShownPod& pod) { take(pod); },
                                [this](const std::string& uid) { take_gone(uid); }});
  parts_.executor.after(parts_.link.hop(), [this] { ask_for_pods(); });
}

KubeScheduler::~KubeScheduler() {
  if (request_ != nullptr) request_->cut();
}

void KubeScheduler::ask_for_pods() {
  request_ = std::make_shared<PodRequest>(
      PodRequest::Parts{parts_.executor, parts_.link, parts_.server, parts_.view, parts_.informer,
                        [this] { cycle_soon(); },
                        [this] {
                          const Duration pause = std::min(kLongestRetry, 1ms + parts_.link.hop());
                          parts_.executor.after(pause, [this] { ask_for_pods(); });
                        }});
  request_->begin();
}

std::string KubeScheduler::text_of(Rejectors by) {
  if ((by & kByExtender) != 0) return std::string(ports::kNotPlannedYet);
  return (by & (kByResources | kByPorts)) != 0 ? "Insufficient resources"
                                               : "node(s) did not match the pod";
}

std::string KubeScheduler::path_of(const std::string& name_space, const std::string& name) {
  return "/api/v1/namespaces/" + name_space + "/pods/" + name;
}

// --- a cycle ------------------------------------------------------------------------------------

void KubeScheduler::cycle_soon() {
  if (is_busy_ || std::exchange(is_waking_, true)) return;
  parts_.executor.after(parts_.link.hop() / 4, [this] {
    is_waking_ = false;
    cycle();
  });
}

void KubeScheduler::cycle() {
  if (is_busy_) return;
  const auto uid = queue_.pop(parts_.executor.now());
  if (!uid) return sleep();
  const auto known = pods_.find(*uid);
  if (known == pods_.end() || known->second.pod.terminating) {
    queue_.erase(*uid);
    return cycle_soon();
  }
  is_busy_ = true;
  tried_ = *uid;
  begin({known->second.shown, known->second.pod});
}

// Until the end of a back-off.
void KubeScheduler::sleep() {
  const TimePoint now = parts_.executor.now();
  const auto due = queue_.next_due();
  if (!due || (wakes_at_ > now && wakes_at_ <= *due)) return;
  wakes_at_ = std::max(*due, now + 1ms);
  parts_.executor.after(wakes_at_ - now, [this] { cycle_soon(); });
}

void KubeScheduler::begin(const Known& known) {
  cache_.begin_cycle();
  const PodObject& pod = known.pod;
  const std::string& nominated = known.shown.nominated;
  Cycle cycle{pod, pod_json(pod), known.shown.affinity, {}, {}, asks_extender(known), false};
  const Node* const node = nominated.empty() ? nullptr : cache_.find(nominated);
  if (node == nullptr) return try_all(std::move(cycle), nullptr);
  const bool is_other = !cycle.only.empty() && cycle.only != nominated;
  if (is_other) cycle.refusals.by = kByNode;
  if (is_other || !cache_.judge(pod, *node, cycle.refusals)) return try_all(std::move(cycle), node);
  cycle.nodes = {nominated};
  cycle.is_of_nominated = true;
  filter(std::move(cycle));
}

void KubeScheduler::try_all(Cycle cycle, const Node* refused) {
  const int percentage =
      is_managed(cycle.pod) ? options_.managed_percentage_of_nodes : options_.percentage_of_nodes;
  cycle.is_of_nominated = false;
  cycle.nodes = names_of(cache_.sample(cycle.pod, percentage, cycle.refusals, cycle.only, refused));
  if (cycle.nodes.empty()) return find_no_node(cycle);  // the extender is not asked
  filter(std::move(cycle));
}

// VIEW-19 of its own pods. Those of others stand for a kube-scheduler that asks about all.
bool KubeScheduler::asks_extender(const Known& known) const {
  if (parts_.extender == nullptr) return false;
  return parts_.view == nullptr || known.shown.has_marker || !is_managed(known.pod);
}

void KubeScheduler::filter(Cycle cycle) {
  if (!cycle.asks_extender) return choose(std::move(cycle));
  std::string body = extender_args(cycle.body, views_of(cycle.nodes));
  calls_.call(
      "/plan/filter", std::move(body), options_.plan_timeout,
      [this, cycle = std::move(cycle)](const std::string& error, const std::string& answer) {
        filtered(cycle, error, answer);
      });
}

void KubeScheduler::filtered(Cycle cycle, const std::string& error, const std::string& answer) {
  if (tried_.empty()) return end_cycle();
  std::string failure = error;
  if (error.empty()) {
    const auto kept = read_filter_result(answer, views_of(cycle.nodes));
    if (!kept) {
      failure = kept.error().to_string();
    } else {
      std::vector<std::string> left;
      for (const std::size_t index : *kept) left.push_back(cycle.nodes[index]);
      if (left.size() < cycle.nodes.size() && !cycle.is_of_nominated) {
        cycle.refusals.by = static_cast<Rejectors>(cycle.refusals.by | kByExtender);
      }
      cycle.nodes = std::move(left);
    }
  }
  const bool is_failed = !failure.empty() && !options_.plan_is_ignorable;
  if (cycle.is_of_nominated && (is_failed || cycle.nodes.empty())) {
    return try_all(std::move(cycle), nullptr);
  }
  if (is_failed) return fail(cycle.pod, failure);
  choose(std::move(cycle));
}

void KubeScheduler::choose(Cycle cycle) {
  if (cycle.nodes.empty()) return find_no_node(cycle);
  const bool is_asked = cycle.nodes.size() > 1 && cycle.asks_extender;
  if (!is_asked) return assume_and_bind(cycle.pod, cycle.nodes.front());
  prioritize(std::move(cycle));
}

void KubeScheduler::prioritize(Cycle cycle) {
  std::string body = extender_args(cycle.body, views_of(cycle.nodes));
  const auto choose = [this, cycle = std::move(cycle)](const std::string& error,
                                                       const std::string& answer) {
    if (tried_.empty()) return end_cycle();
    std::size_t best = 0;  // as if this entry did not exist
    if (error.empty()) {
      if (const auto scores = read_priorities(answer, views_of(cycle.nodes))) {
        const auto highest = std::max_element(scores->begin(), scores->end());
        best = static_cast<std::size_t>(highest - scores->begin());
      }
    }
    assume_and_bind(cycle.pod, cycle.nodes[best]);
  };
  calls_.call("/plan/prioritize", std::move(body), options_.plan_timeout, choose);
}

void KubeScheduler::end_cycle() {
  is_busy_ = false;
  tried_.clear();
  cycle_soon();
}

void KubeScheduler::find_no_node(const Cycle& cycle) {
  if (!is_managed(cycle.pod)) return find_victims(cycle);
  const auto nomination = options_.rejection_clears_nomination ? std::optional("") : std::nullopt;
  reject(cycle.pod, cycle.refusals.by, nomination);
}

void KubeScheduler::reject(const PodObject& pod, Rejectors by,
                           std::optional<std::string> nomination) {
  queue_.reject(pod.uid, by, parts_.executor.now());
  write_status(pod.uid, text_of(by), nomination);
  end_cycle();
}

void KubeScheduler::fail(const PodObject& pod, const std::string& why) {
  queue_.fail(pod.uid, parts_.executor.now());
  log("kube-scheduler could not schedule " + pod.full_name() + ": " + why);
  write_status(pod.uid, "", "");
  end_cycle();
}

// An empty `why`: an error. `nomination`: the node; empty: it ends, also one that has come during
// the cycle; none: it stays.
void KubeScheduler::write_status(const std::string& uid, const std::string& why,
                                 const std::optional<std::string>& nomination) {
  const PodObject pod = pods_.at(uid).pod;
  const bool nominates = nomination && *nomination != pod.nominated_node;
  if (nominates) cache_.nominate(pod, *nomination);
  const std::string message = "0/" + std::to_string(parts_.server.all<NodeObject>().size()) +
                              " nodes are available: " + why + ".";
  if (!why.empty()) log("kube-scheduler finds no node for " + pod.full_name() + ": " + why);
  parts_.executor.after(parts_.link.hop(), [this, pod, nominates, nomination, why, message] {
    const char* const reason = why.empty() ? "SchedulerError" : "Unschedulable";
    const proxy::Request request{"PATCH", path_of(pod.name_space, pod.name) + "/status", {}};
    const std::string body = status_patch(reason, message);
    proxy::Interceptor* const view = parts_.view;
    if (view != nullptr && (view->refusal(request) || view->answer(request, body))) return;
    parts_.server.change<PodObject>(pod.uid, [&](PodObject& each) {
      if (!each.node_name.empty()) return;
      if (nominates) each.nominated_node = *nomination;
      each.not_scheduled = reason;
      each.unschedulable = why.empty() ? "" : message;
    });
  });
}

// --- binding ------------------------------------------------------------------------------------

void KubeScheduler::assume_and_bind(const PodObject& pod, const std::string& node) {
  const std::uint64_t attempt = ++attempts_;
  cache_.place(pod, node);
  parts_.informer.assume(pods_.at(pod.uid).shown, node);
  assumed_[pod.uid] = {node, attempt};
  const ports::Binding binding{pod.name_space, pod.name, pod.uid, node};
  if (is_managed(pod)) {
    calls_.call(
        "/commit/bind", binding_args(binding), options_.commit_timeout,
        [this, uid = pod.uid, attempt](const std::string& error, const std::string& answer) {
          if (!error.empty()) return bind_ended(uid, attempt, error);
          const Status bound = read_binding_result(answer);
          bind_ended(uid, attempt, bound ? std::string() : bound.error().to_string());
        });
  } else {
    bind_by_itself(binding, attempt);
  }
  end_cycle();
}

void KubeScheduler::bind_by_itself(const ports::Binding& binding, std::uint64_t attempt) {
  request(
      {"POST", path_of(binding.name_space, binding.name) + "/binding", {}},
      [this, binding] { return parts_.server.bind(binding).error; },
      [this, uid = binding.uid, attempt](const std::string& error) {
        bind_ended(uid, attempt, error);
      });
}

void KubeScheduler::request(const proxy::Request& request, std::function<std::string()> carry_out,
                            std::function<void(const std::string& error)> then) {
  parts_.executor.after(
      parts_.link.hop(), [this, request, carry_out = std::move(carry_out), then = std::move(then)] {
        const bool is_refused = parts_.view != nullptr && parts_.view->refusal(request).has_value();
        const Link::Fate fate = is_refused ? Link::Fate::lost_request : parts_.link.fate_of_call();
        std::string error = fate == Link::Fate::lost_request ? "503" : carry_out();
        if (fate == Link::Fate::lost_answer) error = "no answer";
        parts_.executor.after(parts_.link.hop(), [then, error] { then(error); });
      });
}

void KubeScheduler::bind_ended(const std::string& uid, std::uint64_t attempt,
                               const std::string& error) {
  const auto assumed = assumed_.find(uid);
  // The pod was bound, deleted or assumed again meanwhile: this answer no longer matters.
  if (assumed == assumed_.end() || assumed->second.attempt != attempt) {
    if (error.empty() || pods_.contains(uid)) return;
    queue_.wake_all(WakeUp::pod_gone, parts_.executor.now());
    return cycle_soon();
  }
  if (error.empty()) return queue_.erase(uid);  // assumed until the watch shows it bound
  log("kube-scheduler could not bind " + uid + ": " + error);
  assumed_.erase(assumed);
  parts_.informer.forget(uid);
  cache_.remove(uid);
  const TimePoint now = parts_.executor.now();
  if (queue_.contains(uid)) queue_.fail(uid, now);
  queue_.wake_all(WakeUp::pod_gone, now);
  if (pods_.contains(uid)) write_status(uid, "", "");
  cycle_soon();
}

bool KubeScheduler::is_managed(const PodObject& pod) const {
  const auto& managed = options_.managed_schedulers;
  return std::find(managed.begin(), managed.end(), pod.scheduler_name) != managed.end();
}

bool KubeScheduler::is_its_own(const PodObject& pod) const {
  const auto& others = options_.other_schedulers;
  return is_managed(pod) ||
         std::find(others.begin(), others.end(), pod.scheduler_name) != others.end();
}

void KubeScheduler::log(const std::string& line) const {
  if (parts_.log) parts_.log(line);
}

}  // namespace berth::embedded
