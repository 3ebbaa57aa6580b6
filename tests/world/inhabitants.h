#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "embedded/api_server.h"
#include "world/faults.h"

namespace berth::world {

using embedded::ApiServer;
using embedded::Kind;

// A user's job, and its controller, which keeps its pods.
struct Job {
  std::string name;
  std::int32_t size = 1;
  std::int32_t minimum = 1;  // 0: it has no PodGroup
  std::int64_t cpu = 1000;   // milli-cpu a pod
  std::int32_t priority = 0;
  Duration run_time{};
  bool keeps_names = false;  // as a StatefulSet; else each pod has another name
  bool is_ours = true;       // else of kube-scheduler's own profile
  bool is_gated = false;     // until it is planned
  std::string queue;
  bool is_over = false;           // deleted, or all its pods have succeeded
  bool has_worked = false;        // its minimum has run at once
  std::vector<std::string> pods;  // uid by index; empty: none now
  std::vector<bool> has_succeeded;
  std::string full_name() const { return "default/" + name; }
};

// Users, controllers and kubelets.
class Inhabitants {
 public:
  Inhabitants(Agenda& agenda, Network& network, ApiServer& server);

  // The nodes, the queues and the first jobs; more come until stop().
  void begin(std::size_t nodes, std::size_t jobs);
  void stop() { has_stopped_ = true; }
  // As the policy of the layout in place: some pods of gangs are gated until they are planned.
  void gate_pods() { gates_pods_ = true; }
  const std::map<std::string, Job>& jobs() const { return jobs_; }
  const Job* job_of(const std::string& pod_uid) const;

 private:
  void bring_job();
  void second();
  void change_node();
  void change_job();
  void delete_job(Job& job);

  void control(const std::string& job);
  void create_pod(Job& job, std::int32_t index);
  void pod_changed(const ApiServer::Change& change);
  void bound(const PodObject& pod);
  void run(const std::string& uid);
  void work(const std::string& uid, Duration length, bool fails);
  void put_group(const Job& job);

  NodeObject node(std::size_t index) const;

  Agenda& agenda_;
  Network& network_;
  ApiServer& server_;
  std::map<std::string, Job> jobs_;          // by name
  std::map<std::string, std::string> owns_;  // pod uid to job
  std::size_t nodes_ = 0;
  std::size_t jobs_to_come_ = 0;
  std::uint64_t last_job_ = 0;
  std::uint64_t last_uid_ = 0;
  std::uint64_t last_group_ = 0;
  bool has_stopped_ = false;
  bool gates_pods_ = false;
};

}  // namespace berth::world
