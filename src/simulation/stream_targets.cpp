#include "simulation/stream_targets.h"

#include <algorithm>

#include "berth/model/reservation.h"

namespace berth::simulation {

std::string padded(std::size_t number) {
  std::string text = std::to_string(number);
  return std::string(10 - std::min<std::size_t>(10, text.size()), '0') + text;
}

TargetMarks marks_of(const StreamJob& job, TimePoint now) {
  TargetMarks marks;
  if (job.waited > Duration()) marks.first_seen = now - job.waited;
  if (!job.target) return marks;
  const StreamTarget& target = *job.target;
  marks.elected_at = now - target.since;
  marks.why = target.why;
  marks.is_named = target.is_named;
  marks.is_elected = !target.is_named;
  return marks;
}

std::vector<NodeObject> nodes_with_locks(const StreamRequest& request, TimePoint begin) {
  std::vector<NodeObject> nodes = request.nodes;
  for (std::size_t job = 0; job < request.jobs.size(); ++job) {
    if (!request.jobs[job].target) continue;
    for (const auto& kept : request.jobs[job].target->nodes) {
      const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const NodeObject& each) {
        return each.name == kept.first;
      });
      if (node == nodes.end()) continue;
      node->locked_for = lock_text(padded(job));
      node->locked_since = begin - kept.second;
    }
  }
  return nodes;
}

void restore_promises(const StreamRequest& request, std::size_t count, TimePoint begin,
                      mirror::Mirror& mirror) {
  mirror.settle(begin);
  Plan plan;
  for (std::size_t index = 0; index < count; ++index) {
    const StreamJob& job = request.jobs[index];
    const JobId id = mirror.find_group(job.name_space + "/" + job.name);
    if (job.promised_start && id.is_valid()) {
      plan.promises.push_back({id, begin + *job.promised_start});
    }
  }
  if (!plan.promises.empty()) mirror.assume(plan, begin);
}

}  // namespace berth::simulation
