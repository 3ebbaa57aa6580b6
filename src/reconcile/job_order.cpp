#include "reconcile/job_order.h"

#include <algorithm>

namespace berth::reconcile {

namespace {

constexpr std::size_t kNames = 10;

// "1st", "12th", "23rd"
std::string ordinal(std::int32_t number) {
  const std::int32_t tens = number % 100 / 10;
  const std::int32_t last = tens == 1 ? 0 : number % 10;
  const char* ending = last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th";
  return std::to_string(number) + ending;
}

std::string names_text(const WaitingPosition& position) {
  std::string text;
  for (const std::string& name : position.names) text += (text.empty() ? "" : ", ") + name;
  const auto named = static_cast<std::int32_t>(position.names.size());
  const std::int32_t unnamed = position.ahead_in_namespace - named;
  return unnamed == 0 ? text : text + " and " + std::to_string(unnamed) + " more";
}

}  // namespace

void JobOrder::refresh(const std::vector<JobId>& order, const Cluster& cluster) {
  places_.clear();
  waiting_.clear();
  names_.clear();
  std::map<std::string, std::int32_t> in_namespace;
  for (const JobId id : order) {
    const Job& job = cluster.job(id);
    const std::size_t slash = job.name.find('/');
    const std::string name_space = job.name.substr(0, slash);
    std::vector<std::string>& names = names_[name_space];
    const auto ahead = static_cast<std::int32_t>(places_.size());
    places_[id] = {job.queue, ++waiting_[job.queue], ahead, in_namespace[name_space]++, &names};
    if (names.size() < kNames) names.push_back(job.name.substr(slash + 1));
  }
}

WaitingPosition JobOrder::position_of(JobId job) const {
  const auto found = places_.find(job);
  if (found == places_.end()) return {};
  const Place& place = found->second;
  const auto named = std::min<std::ptrdiff_t>(place.ahead_in_namespace, kNames);
  return {place.in_queue,
          waiting_.at(place.queue),
          place.ahead,
          place.ahead_in_namespace,
          {place.names->begin(), place.names->begin() + named}};
}

std::string position_text(const std::string& queue, const WaitingPosition& position) {
  if (position.in_queue == 0) return {};
  std::string text = ordinal(position.in_queue) + " of " + std::to_string(position.queue_waiting) +
                     " in queue " + queue;
  if (position.ahead >= position.in_queue) {
    text += ", with " + std::to_string(position.ahead) + (position.ahead == 1 ? " job" : " jobs") +
            " ahead in all queues";
  }
  const std::int32_t near = position.ahead_in_namespace;
  if (near == 0) return text;
  return text + "; " + std::to_string(near) + " of those ahead " + (near == 1 ? "is" : "are") +
         " in this namespace: " + names_text(position);
}

}  // namespace berth::reconcile
