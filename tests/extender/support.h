#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "berth/model/event.h"
#include "ports/binder.h"
#include "ports/event_sink.h"
#include "ports/plan_table.h"

// Plans, requests as kube-scheduler writes them, and recording ports.

namespace berth::extender::test {

// A file of testdata/: a body written by kube-scheduler's Go client.
std::string testdata(std::string_view file);

// A Pod as kube-scheduler sends it: about 5 KB with all fields that an API server fills in, and
// with escapes.
std::string pod_json(std::string_view name, std::string_view scheduler,
                     std::string_view nominated = "");
// "uid-" and the name: the uid in pod_json().
std::string uid_of(std::string_view name);

// A realistic node name: "worker-00042.zone-b.example".
std::string node_name(int index);
std::vector<std::string> node_names(int count);

std::string filter_body(std::string_view pod, const std::vector<std::string>& names);
std::string full_nodes_body(std::string_view pod, const std::vector<std::string>& names);
std::string bind_body(std::string_view name, std::string_view node);

// With room behind the end, as the server hands bodies over.
std::string padded(std::string_view text);

// A plan that is made step by step.
class PlanBuilder {
 public:
  explicit PlanBuilder(bool ready = true);
  // Pods "<job>-0" to "<job>-<size-1>" of namespace "ns", on nodes 0 and up.
  PlanBuilder& gang(const std::string& job, int size, int min_member, int bound = 0);
  // `job`: of the gang; empty: none.
  PlanBuilder& pod(const std::string& name, const std::string& node, bool is_hint = false,
                   const std::string& job = "");
  PlanBuilder& room(const std::string& node, NamedAmounts left);
  // `job`: as PlannedGang::job.
  PlanBuilder& lock(const std::string& node, const std::string& job);
  PlanBuilder& keep_for_queue(const std::string& node, const std::string& queue);
  // A planned pod may use the nodes of these queues.
  PlanBuilder& in_queues(const std::string& pod, const std::vector<std::string>& queues);
  PlanBuilder& claim(const std::string& node);
  // A gang whose pods are bound; they come with running().
  PlanBuilder& guarded(const std::string& job, const ports::GuardedGang& gang);
  PlanBuilder& running(const std::string& pod, const std::string& node, const std::string& job,
                       std::uint16_t role = 0);
  PlanBuilder& without(const std::string& pod);
  PlanBuilder& under(const ports::Leadership& leadership, std::uint64_t epoch);
  std::shared_ptr<const ports::PlanTable> build() const;

 private:
  ports::PlanTable table_;
  std::map<std::string, std::uint32_t> guarded_;  // indices
  ports::SharedArrayWriter<ports::GuardedGang> gangs_;
  std::map<std::string, ports::GuardedMembers> members_;  // by node
};

ports::Binding binding_of(const std::string& pod, const std::string& node);

// Records its calls. The test gives the outcomes, or they come at once.
class RecordingBinder : public ports::Binder {
 public:
  struct Asked {
    ports::Binding binding;
    std::function<void(ports::BindOutcome)> done;
  };

  explicit RecordingBinder(bool succeeds_at_once = false) : succeeds_(succeeds_at_once) {}
  void bind(const ports::Binding& binding, std::function<void(ports::BindOutcome)> done) override;

  std::size_t count() const;
  // Takes the unfinished binds; the caller now finishes them.
  std::vector<Asked> take();

 private:
  const bool succeeds_;
  mutable std::mutex mutex_;
  std::size_t count_ = 0;
  std::vector<Asked> asked_;
};

class RecordingEvents : public ports::EventSink {
 public:
  void post(ClusterEvent event) override;
  std::vector<PlacementDropped> dropped() const;

 private:
  mutable std::mutex mutex_;
  std::vector<PlacementDropped> dropped_;
};

// xorshift: the same numbers everywhere for the same seed.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::size_t below(std::size_t bound);

 private:
  std::uint64_t state_;
};

}  // namespace berth::extender::test
