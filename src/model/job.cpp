#include "berth/model/job.h"

#include "berth/base/enum_text.h"
#include "berth/base/text.h"

namespace berth {

const char* to_string(TaskStatus status) {
  return enum_text<TaskStatus::failed>(status, "?", "Pending", "Allocated", "Pipelined", "Binding",
                                       "Bound", "Running", "Releasing", "Succeeded", "Failed");
}

std::int32_t ready_count(const StatusCounts& counts) {
  return count_of(counts, TaskStatus::allocated) + count_of(counts, TaskStatus::binding) +
         count_of(counts, TaskStatus::bound) + count_of(counts, TaskStatus::running) +
         count_of(counts, TaskStatus::succeeded);
}

std::string unclaimed_text(const std::vector<std::string>& names) {
  const bool is_one = names.size() == 1;
  return count_text(names.size(), "pod group") + " without pods " + (is_one ? "is" : "are") +
         " ignored, because nothing names " + (is_one ? "its" : "their") +
         " scheduler: " + first_names(names) + "; set the annotation " + kSchedulerAnnotation +
         " on the group or its queue";
}

std::string not_honoured_text(const Job& job) {
  if (job.not_honoured.empty()) return {};
  std::string text;
  for (std::size_t i = 0; i < job.not_honoured.size(); ++i) {
    const char* separator = i + 1 == job.not_honoured.size() ? " and " : ", ";
    text += (i == 0 ? "" : separator) + job.not_honoured[i];
  }
  const bool is_one = job.not_honoured.size() == 1;
  return text + (is_one ? " is" : " are") + " not honoured; the job is placed without " +
         (is_one ? "it" : "them");
}

GroupPhase derived_phase(const Job& job) {
  const std::int32_t running = job.count(TaskStatus::bound) + job.count(TaskStatus::running);
  const std::int32_t done = job.count(TaskStatus::succeeded) + job.count(TaskStatus::failed);
  if (running + done >= job.min_available && running + done > 0) {
    const bool all_done = done == job.task_count();
    return all_done ? GroupPhase::completed : GroupPhase::running;
  }
  // The pods of a finished job are removed one by one; it has nothing more to place.
  if (job.phase == GroupPhase::completed && done == job.task_count()) return GroupPhase::completed;
  const bool had_run = job.phase == GroupPhase::running || job.phase == GroupPhase::unknown;
  if (had_run && running > 0) return GroupPhase::unknown;
  return job.phase == GroupPhase::inqueue ? GroupPhase::inqueue : GroupPhase::pending;
}

}  // namespace berth
