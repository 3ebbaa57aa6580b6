#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "embedded/fixture.h"
#include "embedded/kube_scheduler.h"
#include "embedded/recorded_runs.h"

namespace berth::embedded {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// It is never twice at the same time, so that pods have an order.
class TickingAgenda final : public Agenda {
 public:
  TickingAgenda() : Agenda(TimePoint()) {}
  TimePoint now() const override { return Agenda::now() + nanoseconds(++ticks_); }
  TimePoint plain_now() const { return Agenda::now(); }

 private:
  mutable std::int64_t ticks_ = 0;
};

bool has(const std::string& wishes, char wish) { return wishes.find(wish) != std::string::npos; }

// "-bgt": a zone, GPUs, a taint; u is a cordon.
NodeObject node_of(const std::string& name, std::int64_t cpu, std::int64_t pods,
                   const std::string& wishes) {
  NodeObject node = make_node(name, cpu);
  node.allocatable["pods"] = pods;
  const char zone = wishes.size() > 1 ? wishes[1] : '-';
  if (zone >= 'a' && zone <= 'c') node.labels["topology.kubernetes.io/zone"] = zone;
  if (has(wishes, 'g')) node.allocatable["example.com/gpu"] = 2;
  if (has(wishes, 't')) node.taints = {{"example.com/taint", "", TaintEffect::no_schedule}};
  node.unschedulable = has(wishes, 'u');
  return node;
}

const Toleration kToleration = {"example.com/taint", true, "", TaintEffect::any};

PodObject pod_of(const std::string& name, std::int32_t priority, std::int64_t cpu,
                 const std::string& wishes) {
  PodObject pod = make_pod(name, cpu);
  pod.priority = priority;
  if (has(wishes, 'g')) pod.request["example.com/gpu"] = 1;
  if (has(wishes, 'p')) pod.constraints.host_ports = {{"0.0.0.0", "TCP", 80}};
  if (has(wishes, 'q')) pod.constraints.host_ports = {{"10.0.0.1", "TCP", 80}};
  if (has(wishes, 's')) pod.constraints.node_selector = {{"topology.kubernetes.io/zone", "a"}};
  if (has(wishes, 't')) pod.constraints.tolerations = {kToleration};
  pod.never_preempts = has(wishes, 'n');
  for (const char app : {'x', 'y'}) {
    if (has(wishes, app)) pod.labels = {{"app", std::string(1, app)}};
  }
  return pod;
}

std::string text_of(const std::vector<std::string>& nodes) {
  std::string all;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    all += (i == 0 ? "" : ",") + nodes[i];
    sum += static_cast<std::int64_t>(i + 1) * std::stoll(nodes[i]);
  }
  if (nodes.size() <= 8) return all;
  return nodes.front() + ".." + nodes.back() + "#" + std::to_string(nodes.size()) + "/" +
         std::to_string(sum);
}

std::string condition_of(const PodObject& pod) {
  if (pod.not_scheduled == "SchedulerError") return "!";
  if (pod.unschedulable.empty()) return "";
  const std::string& text = pod.unschedulable;
  const char* const reason = text.find("resources") != std::string::npos ? "r"
                             : text.find("planned") != std::string::npos ? "e"
                                                                         : "n";
  return reason + text.substr(1, text.find(' ') - 1);
}

// "1:4,0/2|3:5/0": on node 1, pods 4 and 0 would leave, and two violations of budgets.
std::string candidates_in(const nlohmann::json& body,
                          const std::function<std::string(const std::string& uid)>& name_of) {
  std::string all;
  for (const auto& [node, victims] : body.at("NodeNameToMetaVictims").items()) {
    std::string pods;
    for (const auto& pod : victims.at("Pods")) {
      pods += (pods.empty() ? "" : ",") + name_of(pod.at("UID").get<std::string>());
    }
    all += (all.empty() ? "" : "|") + node + ":" + pods + "/" +
           std::to_string(victims.at("NumPDBViolations").get<int>());
  }
  return all;
}

// An affinity is what the view puts into a pod.
class PinningInformer final : public PodInformer {
 public:
  void set_handlers(Handlers handlers) override {
    const auto put = handlers.put;
    handlers.put = [this, put](ShownPod pod) {
      pod.affinity = pins[pod.uid];
      put(pod);
    };
    informer_.set_handlers(std::move(handlers));
  }
  std::string query() const override { return informer_.query(); }
  bool is_listing() const override { return informer_.is_listing(); }
  void take_list(std::string_view body) override { informer_.take_list(body); }
  bool take_event(std::string_view frame) override { return informer_.take_event(frame); }
  void take_status(int status) override { informer_.take_status(status); }
  void end_stream() override { informer_.end_stream(); }

  std::map<std::string, std::string> pins;  // nodes by uid

 private:
  ListingInformer informer_;
};

// Does a recorded run (tests/e2e/recorded/cluster.go has the operations) on the stand-in.
class ClusterReplay {
 public:
  ClusterReplay(int percentage, bool preempts) {
    if (preempts) std::swap(options_.managed_schedulers, options_.other_schedulers);
    options_.managed_percentage_of_nodes = percentage;
    options_.plan_is_ignorable = false;
    options_.commit_timeout = hours(24);
    router_.add("POST", "/plan/filter",
                [this](const http::Request& request, http::Responder responder) {
                  filter(nlohmann::json::parse(request.body), std::move(responder));
                });
    router_.add("POST", "/guard/preempt",
                [this](const http::Request& request, http::Responder responder) {
                  guard(nlohmann::json::parse(request.body), std::move(responder));
                });
    router_.add("POST", "/commit/bind",
                [this](const http::Request& request, http::Responder responder) {
                  const auto body = nlohmann::json::parse(request.body);
                  bindings_.insert_or_assign(
                      body.at("PodName").get<std::string>(),
                      std::pair(body.at("Node").get<std::string>(), std::move(responder)));
                });
    server_.follow([this](const ApiServer::Change& change) { note(change); });
    scheduler_.emplace(options_,
                       KubeScheduler::Parts{agenda_, link_, server_, &router_, nullptr, informer_});
    agenda_.run_for(microseconds(100));
  }

  // "MILLISECONDS OPERATION;CALLS;STATUSES". An empty answer: the same was asked and written.
  std::string complaint_about(const std::string& step) {
    const std::size_t end = step.find(';');
    const std::size_t calls_end = step.find(';', end + 1);
    std::istringstream text(step.substr(0, end));
    expected_.str(step.substr(end + 1, calls_end - end - 1));
    expected_.clear();
    calls_.clear();
    outcomes_.clear();
    std::int64_t pause = 0;
    std::string operation;
    text >> pause >> operation;
    pass(milliseconds(pause));
    is_ours_ = true;
    if (!do_cluster(operation, text)) do_pod(operation, text);
    is_ours_ = false;
    settle();
    const std::string done = step.substr(0, end) + ";" + calls_ + ";" + outcomes_;
    return done == step ? "" : "at \"" + step + "\" the stand-in does \"" + done + '"';
  }

 private:
  void pass(Duration pause) {
    now_ += pause;
    for (;;) {
      const TimePoint second = std::chrono::floor<seconds>(agenda_.plain_now()) + seconds(1);
      if (second > now_) break;
      agenda_.run_until(second);
      settle();
    }
    agenda_.run_until(now_);
  }

  // Until no pod is left to try. Then it is shown what has changed.
  void settle() {
    for (;;) {
      agenda_.run_for(microseconds(20));
      if (changes_.empty()) return;
      show();
    }
  }
  void show() {
    for (const ApiServer::Change& change : std::exchange(changes_, {})) {
      scheduler_->server_changed(change);
    }
  }

  void note(const ApiServer::Change& change) {
    changes_.push_back(change);
    if (change.kind != Kind::pod || change.is_deletion()) return;
    const PodObject& pod = change.pod();
    const PodObject before = std::exchange(pods_[pod.uid], pod);
    if (!is_ours_) outcomes_ += (outcomes_.empty() ? "" : " ") + pod.name + outcome(before, pod);
  }
  static std::string outcome(const PodObject& before, const PodObject& pod) {
    if (pod.terminating && !before.terminating) return "-";
    if (!pod.node_name.empty()) return "=" + pod.node_name;
    std::string text = ":" + condition_of(pod);
    if (pod.nominated_node == before.nominated_node) return text;
    return text + (pod.nominated_node.empty() ? "^" : "@" + pod.nominated_node);
  }

  // Answers as the recording says, if it was asked the same.
  void filter(const nlohmann::json& body, http::Responder responder) {
    const std::string name = body.at("Pod").at("metadata").at("name");
    const std::string asked = name + "?" + text_of(body.at("NodeNames"));
    std::string call;
    expected_ >> call;
    const std::size_t end = asked.size();
    const bool is_same = call.starts_with(asked) && (call[end] == '>' || call[end] == '@');
    calls_ += (calls_.empty() ? "" : " ") + (is_same ? call : asked);
    const std::size_t kept = call.rfind('>') + 1;
    if (!is_same || kept == call.size()) {
      answer(std::move(responder), FakeExtender::keep({}));
    } else if (call[kept] == '!') {
      answer(std::move(responder), {500, "text/plain", "out of order"});
    } else {
      answer(std::move(responder), FakeExtender::keep({call.substr(kept)}));
    }
    if (!is_same || call[end] != '@') return;
    is_ours_ = true;
    change(name,
           [&](PodObject& pod) { pod.nominated_node = call.substr(end + 1, kept - end - 2); });
    is_ours_ = false;
    show();
  }
  // Leaves the nodes that the recording has left.
  void guard(const nlohmann::json& body, http::Responder responder) {
    const std::string asked =
        body.at("Pod").at("metadata").at("name").get<std::string>() + "%" +
        candidates_in(body, [this](const std::string& uid) { return pods_.at(uid).name; });
    std::string call;
    expected_ >> call;
    const bool is_same = call.starts_with(asked + ">");
    calls_ += (calls_.empty() ? "" : " ") + (is_same ? call : asked);
    auto left = nlohmann::json::object();
    std::istringstream kept(is_same ? call.substr(asked.size() + 1) : "");
    for (std::string node; std::getline(kept, node, ',');) {
      left[node] = body.at("NodeNameToMetaVictims").at(node);
    }
    answer(std::move(responder), FakeExtender::json({{"NodeNameToMetaVictims", left}}));
  }

  // Changes that come while it is asked are shown first.
  void answer(http::Responder responder, http::Response response) {
    const auto its = std::make_shared<http::Responder>(std::move(responder));
    agenda_.after(nanoseconds(1), [its, response = std::move(response)] { its->answer(response); });
  }

  bool do_cluster(const std::string& operation, std::istringstream& text) {
    std::string name;
    std::string wishes;
    std::int64_t first = 0;
    std::int64_t second = 0;
    if (operation == "node") {
      text >> name >> first >> second >> wishes;
      server_.put(node_of(name, first, second, wishes));
    } else if (operation == "drop") {
      text >> name;
      server_.erase<NodeObject>(name);
    } else if (operation == "pod" || operation == "bound") {
      text >> name >> first >> second >> wishes;
      PodObject pod = pod_of(name, static_cast<std::int32_t>(first), second, wishes);
      pod.uid = uids_[name] = "uid-" + std::to_string(++pods_made_);
      pod.started = TimePoint(seconds(pods_made_));
      text >> (operation == "pod" ? informer_.pins[pod.uid] : pod.node_name);
      server_.put(std::move(pod));
    } else if (operation == "protect" || operation == "unprotect") {
      text >> name >> first;
      const std::vector<Expression> selector = {{"app", Operator::in, {name}}};
      const auto allowed = static_cast<std::int32_t>(first);
      server_.put(BudgetObject{"default", name, name, selector, allowed, {}});
      if (operation == "unprotect") server_.erase<BudgetObject>("default/" + name);
    } else {
      return operation == "wait";
    }
    return true;
  }

  void do_pod(const std::string& operation, std::istringstream& text) {
    std::string name;
    std::string node;
    text >> name >> node;
    const auto bind_to = [&](const std::string& to) {
      change(name, [&](PodObject& pod) { pod.node_name = to; });
    };
    if (operation == "gone") {
      server_.erase<PodObject>(uids_.at(name));
      refuse(name);
    } else if (operation == "bind") {
      auto call = bindings_.extract(name);
      answer(std::move(call.mapped().second), FakeExtender::json({{"Error", ""}}));
      bind_to(call.mapped().first);
    } else if (operation == "lose") {
      bind_to(bindings_.at(name).first);
      refuse(name);
    } else if (operation == "elsewhere") {
      bind_to(node);
      refuse(name);
    } else if (operation == "refuse") {
      refuse(name);
    } else {
      change(name, [&](PodObject& pod) { edit(operation, node, pod); });
    }
  }

  static void edit(const std::string& operation, const std::string& node, PodObject& pod) {
    if (operation == "nominate") pod.nominated_node = node;
    if (operation == "label") pod.created += seconds(1);  // any change
    if (operation == "shrink") pod.request["cpu"] -= 10;
    if (operation == "grow") pod.request["cpu"] += 500;
    if (operation == "tolerate") pod.constraints.tolerations.push_back(kToleration);
    if (operation == "terminate") pod.terminating = true;
  }

  // Always a change, as of a resource version.
  void change(const std::string& name, const std::function<void(PodObject&)>& edit) {
    PodObject pod = *server_.find<PodObject>(uids_.at(name));
    edit(pod);
    server_.put(std::move(pod));
  }

  // Answers its bind call, if there is one, after all else.
  void refuse(const std::string& name) {
    is_ours_ = false;
    settle();
    auto call = bindings_.extract(name);
    if (!call.empty()) {
      answer(std::move(call.mapped().second), FakeExtender::json({{"Error", "refused"}}));
    }
  }

  TickingAgenda agenda_;
  Link link_;
  ApiServer server_{agenda_};
  http::Router router_;
  PinningInformer informer_;
  KubeScheduler::Options options_;
  std::optional<KubeScheduler> scheduler_;
  TimePoint now_;
  std::vector<ApiServer::Change> changes_;  // not yet shown
  bool is_ours_ = false;                    // what changes now
  std::map<std::string, std::string> uids_;
  std::map<std::string, PodObject> pods_;  // by uid, as they were last
  std::map<std::string, std::pair<std::string, http::Responder>> bindings_;
  int pods_made_ = 0;
  std::istringstream expected_;  // calls of this step
  std::string calls_;
  std::string outcomes_;
};

TEST(RecordedClusterTest, TheStandInDoesWhatAKubeSchedulerDid) {
  replay_runs("recorded_cluster.jsonl", 320, [](const nlohmann::json& run) {
    return std::make_unique<ClusterReplay>(run.at("percentage").get<int>(), false);
  });
}

TEST(RecordedClusterTest, TheStandInPreemptsAsAKubeSchedulerDid) {
  const auto replay_of = [](const nlohmann::json& run) {
    return std::make_unique<ClusterReplay>(run.at("percentage").get<int>(), true);
  };
  // Two pods change places after another was nominated while the extender was asked.
  replay_runs("recorded_preemption.jsonl", 320, replay_of, {74});
}

}  // namespace
}  // namespace berth::embedded
