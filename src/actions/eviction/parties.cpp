#include "actions/eviction/parties.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "berth/engine/fit.h"
#include "berth/engine/queue_tree.h"

namespace berth::actions {

using namespace engine;

namespace {

std::int32_t on_nodes(const Job& job) {
  return job.placed_count() - job.count(TaskStatus::succeeded);
}

}  // namespace

bool is_overused(const Session& session, QueueId queue) {
  std::shared_ptr<const QueueShares> shares;
  session.ask(points::queue_shares, &shares);
  const std::uint32_t at = session.queues().position_of(queue);
  if (shares == nullptr || at == QueueTree::kNowhere) return false;
  for (std::size_t d = 0; d < shares->dimensions; ++d) {
    const std::int64_t has = session.cluster().queue(queue).allocated[Dimension(d)];
    if (beyond_share(has, shares->at(shares->deserved, at, Dimension(d))) > 0) return true;
  }
  return false;
}

void PartsOfJobs::refresh() {
  const Cluster& cluster = session_.cluster();
  if (stamp_ == cluster.stamp()) return;
  stamp_ = cluster.stamp();
  parts_.clear();
  queues_.clear();
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    append_parts(cluster.job(JobId(j)), parts_);
    queues_.resize(parts_.size(), cluster.job(JobId(j)).queue);
  }
}

std::int32_t PartsOfJobs::pods_of_others() {
  if (pods_of_others_) return *pods_of_others_;
  const Cluster& cluster = session_.cluster();
  std::int32_t count = 0;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const std::vector<TaskId>& tasks = cluster.node(NodeId(n)).tasks;
    count += static_cast<std::int32_t>(std::count_if(tasks.begin(), tasks.end(), [&](TaskId id) {
      const Task& task = cluster.task(id);
      const bool is_of_others = !task.job.is_valid() && !task.is_of_node && !task.hangs;
      return is_of_others && occupies_node(task.status);
    }));
  }
  pods_of_others_ = count;
  return count;
}

std::int32_t pods_of(const Session& session, const JobPart& part) {
  const Job& job = session.cluster().job(part.job);
  const std::int32_t surplus = std::min(surplus_count(job), on_nodes(job));
  return part.kind == JobPart::Kind::surplus ? surplus : on_nodes(job) - surplus;
}

void add_spared(std::vector<Spared>& spared, Reason reason, std::int32_t pods) {
  const auto found = std::find_if(spared.begin(), spared.end(),
                                  [&](const Spared& each) { return each.reason == reason; });
  if (found == spared.end()) {
    spared.push_back({reason, pods});
  } else {
    found->pods += pods;
  }
}

void sort_most_first(std::vector<Spared>& spared) {
  std::sort(spared.begin(), spared.end(), [](const Spared& left, const Spared& right) {
    return std::tie(right.pods, left.reason) < std::tie(left.pods, right.reason);
  });
}

bool depend_on_others(const Cluster& cluster, const std::vector<TaskId>& tasks) {
  return std::any_of(tasks.begin(), tasks.end(), [&](TaskId id) {
    return depends_on(cluster.shape_of(id)) != DependsOn::specification;
  });
}

std::string why_it_leaves(const Cluster& cluster, const PlannedEviction& eviction,
                          std::int32_t could_leave) {
  const Job& job = cluster.job(cluster.task(eviction.task).job);
  std::string text;
  switch (eviction.as) {
    case EvictedAs::surplus:
      text = "it is surplus of its job, whose minimum is " + std::to_string(job.min_available);
      break;
    case EvictedAs::whole_job:
      text = "its job leaves whole, because surplus does not make enough room";
      break;
    case EvictedAs::lower_member:
      text = "it is surplus of its job, and has a lower priority than the waiting pod";
      break;
    case EvictedAs::unready_job:
      text = job.unready_since
                 ? "its job has lost its minimum of " + std::to_string(job.min_available)
                 : std::string("its job runs for longer than its time limit");  // CLEANUP-6
      break;
  }
  return text + "; " + std::to_string(could_leave) +
         " pods could leave, and the fewest that were found to make room do: of equal numbers, "
         "those of the lowest priority that lose the least work";
}

}  // namespace berth::actions
