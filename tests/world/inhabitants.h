#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "embedded/api_server.h"
#include "world/budgets.h"
#include "world/faults.h"
#include "world/jobs.h"

namespace berth::world {

using embedded::ApiServer;
using embedded::Kind;

// On its node, if it has one.
inline bool takes_room(const PodObject& pod) {
  return pod.phase == PodPhase::pending || pod.phase == PodPhase::running;
}

// Users, controllers and kubelets.
class Inhabitants {
 public:
  static constexpr std::int64_t kNodeCpu = 8'000;

  Inhabitants(Agenda& agenda, Network& network, ApiServer& server);

  // The nodes, the queues and the first jobs; more come until stop().
  void begin(std::size_t nodes, std::size_t jobs);
  // Nothing comes any more, and what users held back is free.
  void stop();
  void delete_all_jobs();
  // As the policy of the layout in place: some pods of gangs are gated until they are planned.
  void gate_pods() { gates_pods_ = true; }
  const std::map<std::string, Job>& jobs() const { return jobs_; }
  const Job* job_of(const std::string& pod_uid) const;
  // Null: there is none.
  const PodGroupObject* group_of(const Job& job) const;
  const Job* job_of_group(const PodGroupObject& group) const;

 private:
  // users (inhabitants.cpp)
  void bring_job();
  void protect(const Job& job);
  void second();
  void change_node();
  void change_queue();
  void change_job();
  void change_group(Job& job);
  void scale(Job& job);
  void set_minimum(Job& job, std::int32_t minimum);
  void misspell_gang(const Job& job);
  NodeObject node(std::size_t index) const;

  // controllers (controllers.cpp)
  void make(Job& job);
  void control(const std::string& job);
  bool is_taken(const Job& job, std::int32_t index) const;
  void create_pod(Job& job, std::int32_t index);
  void put_queue(const std::string& name);  // unless it is there
  void put_group(const Job& job);
  void put_owner(const Job& job, const std::string& gang);
  void remove(Job& job);
  void collect();
  void group_changed(const ApiServer::Change& change);
  void pod_changed(const ApiServer::Change& change);
  void pod_failed(Job& job, const std::string& uid);
  void begin_anew(Job& job);

  // kubelets (kubelets.cpp)
  void stop_pod(const std::string& uid);
  void run(const std::string& uid);
  bool is_admitted(const PodObject& pod) const;
  void refuse(const PodObject& pod);
  void work(const std::string& uid, Duration length, bool fails);

  Agenda& agenda_;
  Network& network_;
  ApiServer& server_;
  std::map<std::string, Job> jobs_;  // by name
  Budgets budgets_{agenda_, server_, jobs_};
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
