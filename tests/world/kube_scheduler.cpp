#include "world/kube_scheduler.h"

#include <algorithm>
#include <utility>

#include "embedded/extender_wire.h"
#include "embedded/pod_json.h"
#include "ports/plan_table.h"

namespace berth::world {
namespace {

using apiview::testing::Pod;
using embedded::Rejectors;
using embedded::WakeUp;

constexpr Duration kFilterTimeout = 1s;
constexpr Duration kBindTimeout = 30s;

bool is_ours(const Pod& pod) { return pod.scheduler == "berth"; }

}  // namespace

KubeScheduler::KubeScheduler(Agenda& agenda, Network& network, ApiServer& server, Berthd& berthd,
                             apiview::testing::Release release)
    : agenda_(agenda),
      network_(network),
      server_(server),
      berthd_(berthd),
      life_(agenda),
      informer_(release) {
  for (const auto& [name, node] : server_.nodes()) cache_.put(node.object);
  life_.after(network_.hop(), [this] { ask_for_pods(); });
}

KubeScheduler::~KubeScheduler() {
  if (request_ != nullptr) request_->cut();
  for (const auto& call : calls_) Berthd::hang_up(call);
}

std::vector<std::string> KubeScheduler::complaints() const {
  std::vector<std::string> all = informer_.complaints();
  if (!informer_.end().empty()) all.push_back("kube-scheduler has ended: " + informer_.end());
  return all;
}

void KubeScheduler::server_changed(const ApiServer::Change& change) {
  if (change.kind == Kind::pod && request_ != nullptr) request_->server_changed();
  if (change.kind != Kind::node) return;
  life_.after(network_.hop(), [this, change] {
    if (const auto* const node = std::get_if<NodeObject>(&change.event)) {
      cache_.put(*node);
      queue_.wake_all(WakeUp::node_change, agenda_.now());
      cycle_soon();
    } else {
      cache_.drop(change.key);
    }
  });
}

void KubeScheduler::ask_for_pods() {
  request_ = std::make_shared<PodRequest>(PodRequest::Parts{
      life_, network_, server_, berthd_.view(), informer_, [this] { take_pods(); },
      [this] { life_.after(agenda_.between(1ms, 1s), [this] { ask_for_pods(); }); }});
  request_->begin();
}

// --- the cache ---------------------------------------------------------------------------------

void KubeScheduler::take_pods() {
  std::map<std::string, Pod> now;
  for (const auto& [name, pod] : informer_.store()) now[pod.uid] = pod;
  std::vector<std::string> gone;
  for (const auto& [uid, pod] : pods_) {
    if (!now.contains(uid)) gone.push_back(uid);
  }
  for (const std::string& uid : gone) forget_pod(uid);
  for (const auto& [uid, pod] : now) {
    const auto known = pods_.find(uid);
    const bool is_same = known != pods_.end() && known->second.version == pod.version &&
                         known->second.affinity == pod.affinity;
    if (!is_same) take_pod(pod);
  }
  cycle_soon();
}

// The request of a pod never changes, so the API server's object has it.
void KubeScheduler::take_pod(const Pod& pod) {
  const PodObject* const object = server_.find_pod(pod.uid);
  const bool is_new = !pods_.contains(pod.uid);
  pods_[pod.uid] = pod;
  if (pod.is_bound()) {
    leave_queue(pod.uid);
    assumed_.erase(pod.uid);
    if (object != nullptr) cache_.place(*object, pod.node);
    return queue_.wake_all(WakeUp::pod_placed, agenda_.now());
  }
  if (object == nullptr || assumed_.contains(pod.uid)) return;
  queue_.put(pod.uid, object->priority.value_or(0), false, agenda_.now());
  if (!is_new) queue_.wake(pod.uid, WakeUp::own_status, agenda_.now());
}

void KubeScheduler::forget_pod(const std::string& uid) {
  pods_.erase(uid);
  assumed_.erase(uid);
  leave_queue(uid);
  if (cache_.remove(uid)) queue_.wake_all(WakeUp::pod_gone, agenda_.now());
}

void KubeScheduler::leave_queue(const std::string& uid) {
  queue_.erase(uid);
  if (tried_ == uid) tried_.clear();
}

// --- a cycle -----------------------------------------------------------------------------------

void KubeScheduler::cycle_soon() {
  if (is_busy_ || std::exchange(is_waking_, true)) return;
  life_.after(agenda_.between(50us, 2ms), [this] {
    is_waking_ = false;
    cycle();
  });
}

void KubeScheduler::cycle() {
  if (is_busy_) return;
  const auto uid = queue_.pop(agenda_.now());
  if (!uid) {
    const auto due = queue_.next_due();
    if (!due || (wakes_at_ > agenda_.now() && wakes_at_ <= *due)) return;
    wakes_at_ = std::max(*due, agenda_.now() + 1ms);
    return life_.after(wakes_at_ - agenda_.now(), [this] { cycle_soon(); });
  }
  const PodObject* const found = server_.find_pod(*uid);
  const auto shown = pods_.find(*uid);
  if (found == nullptr || shown == pods_.end()) {
    queue_.erase(*uid);
    return cycle_soon();
  }
  const PodObject pod = *found;
  Rejectors by = 0;
  std::string node = shown->second.affinity;
  if (!node.empty()) {
    const embedded::SchedulerCache::Node* const its = cache_.find(node);
    by = its == nullptr ? Rejectors{embedded::kByNode} : cache_.judge(pod, *its);
  } else {
    const auto feasible = cache_.sample(pod, 0, by);
    if (!feasible.empty()) node = feasible[agenda_.below(feasible.size())]->object.name;
    if (!feasible.empty()) by = 0;
  }
  if (node.empty() || by != 0) {
    reject(pod, by, "Insufficient cpu");
    return cycle_soon();
  }
  filter(pod, node);
}

void KubeScheduler::filter(const PodObject& pod, const std::string& node) {
  is_busy_ = true;
  tried_ = pod.uid;
  const std::string body = embedded::extender_args(embedded::pod_json(pod), {node});
  call("/plan/filter", body, kFilterTimeout,
       [this, pod, node](const std::string& error, const std::string& answer) {
         is_busy_ = false;
         cycle_soon();
         if (std::exchange(tried_, {}) != pod.uid) return;  // it has gone meanwhile
         if (error.empty()) {
           const auto kept = embedded::read_filter_result(answer, {node});
           if (!kept || kept->empty()) {
             return reject(pod, embedded::kByExtender, std::string(ports::kNotPlannedYet));
           }
         }  // the entry is ignorable
         assume_and_bind(pod, node);
       });
}

void KubeScheduler::reject(const PodObject& pod, Rejectors by, const std::string& why) {
  queue_.reject(pod.uid, by, agenda_.now());
  agenda_.note("kube-scheduler finds no node for " + pod.name + ": " + why + " " +
               std::to_string(by));
  const std::string message =
      "0/" + std::to_string(server_.nodes().size()) + " nodes are available: " + why + ".";
  life_.after(network_.hop(), [this, pod, message] {
    const proxy::Request request{
        "PATCH", "/api/v1/namespaces/" + pod.name_space + "/pods/" + pod.name + "/status", {}};
    const std::string body =
        R"({"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":)"
        R"("Unschedulable","message":")" +
        message + R"("}]}})";
    if (berthd_.view().refusal(request) || berthd_.view().answer(request, body)) return;
    server_.change_pod(pod.uid, [&](PodObject& each) {
      if (!each.node_name.empty()) return;
      each.not_scheduled = "Unschedulable";
      each.unschedulable = message;
    });
  });
}

// --- binding -----------------------------------------------------------------------------------

void KubeScheduler::assume_and_bind(const PodObject& pod, const std::string& node) {
  const std::uint64_t attempt = ++attempts_;
  cache_.place(pod, node);
  Pod shown = pods_.at(pod.uid);
  shown.affinity = node;
  informer_.assume(shown);
  assumed_[pod.uid] = {node, attempt};
  if (!is_ours(shown)) return bind_by_itself(pod, node);
  const ports::Binding binding{pod.name_space, pod.name, pod.uid, node};
  call("/commit/bind", embedded::binding_args(binding), kBindTimeout,
       [this, uid = pod.uid, attempt](const std::string& error, const std::string& answer) {
         if (!error.empty()) return bind_ended(uid, attempt, error);
         const Status bound = embedded::read_binding_result(answer);
         bind_ended(uid, attempt, bound ? std::string() : bound.error().to_string());
       });
}

// A pod of another profile, which the extender does not bind.
void KubeScheduler::bind_by_itself(const PodObject& pod, const std::string& node) {
  const ports::Binding binding{pod.name_space, pod.name, pod.uid, node};
  const proxy::Request request{
      "POST", "/api/v1/namespaces/" + pod.name_space + "/pods/" + pod.name + "/binding", {}};
  life_.after(network_.hop(), [this, binding, request, attempt = attempts_] {
    const bool is_refused = berthd_.view().refusal(request).has_value();
    const bool is_lost = network_.fate_of_write() != Network::Fate::done;
    const std::string error = is_refused || is_lost ? "503" : server_.bind(binding).error;
    life_.after(network_.hop(),
                [this, uid = binding.uid, attempt, error] { bind_ended(uid, attempt, error); });
  });
}

void KubeScheduler::bind_ended(const std::string& uid, std::uint64_t attempt,
                               const std::string& error) {
  const auto assumed = assumed_.find(uid);
  if (assumed == assumed_.end() || assumed->second.attempt != attempt) return;
  if (!error.empty()) agenda_.note("kube-scheduler could not bind " + uid + ": " + error);
  if (error.empty()) return queue_.erase(uid);  // assumed until the watch shows it bound
  assumed_.erase(assumed);
  informer_.forget(uid);
  cache_.remove(uid);
  if (queue_.contains(uid)) queue_.fail(uid, agenda_.now());
  queue_.wake_all(WakeUp::pod_gone, agenda_.now());
  cycle_soon();
}

// A call over a loopback connection.
void KubeScheduler::call(const std::string& path, const std::string& body, Duration timeout,
                         std::function<void(const std::string&, const std::string&)> then) {
  const auto fate = network_.fate_of_call();
  const auto is_over = std::make_shared<bool>(false);
  const auto end = [is_over, then = std::move(then)](const std::string& error,
                                                     const std::string& answer) {
    if (!std::exchange(*is_over, true)) then(error, answer);
  };
  const auto made = std::make_shared<std::shared_ptr<Berthd::Call>>();
  life_.after(timeout, [end, made, is_over] {
    if (*is_over) return;
    if (*made != nullptr) Berthd::hang_up(*made);
    end("timeout", "");
  });
  if (fate == Network::Fate::lost_request) return;
  life_.after(network_.hop() / 4, [this, path, body, fate, end, made] {
    std::erase_if(calls_, [](const auto& each) { return each.use_count() == 1; });
    *made = berthd_.call(path, body, [this, fate, end](int status, const std::string& answer) {
      if (fate == Network::Fate::lost_answer) return;
      life_.after(network_.hop() / 4, [end, status, answer] {
        end(status == 200 ? "" : "status " + std::to_string(status), answer);
      });
    });
    calls_.push_back(*made);
  });
}

}  // namespace berth::world
