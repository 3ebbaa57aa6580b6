#include "tools/live/remedy.h"

#include "berth/model/reason.h"

namespace berth::tools {

std::string remedy_of(const LiveJob& job) {
  if (job.state == JobState::foreign) {
    return "Set spec.schedulerName of its pods to Berth's. If \"" + job.scheduler +
           "\" is Berth's, give --scheduler " + job.scheduler + ".";
  }
  if (job.state != JobState::waits) return "";
  const auto reason = reason_of(job.reason);
  return reason ? std::string(remedy(*reason)) : "";
}

}  // namespace berth::tools
