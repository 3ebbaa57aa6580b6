#include "mirror/naming_rights.h"

#include <utility>

namespace berth::mirror {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// MAY-6. A grant counts for a while; a refusal is asked about again soon, because somebody may
// grant what it lacks.
constexpr Duration kAllowedFor = minutes(5);
constexpr Duration kRefusedFor = seconds(30);
// A grant that cannot be asked about again, such as while the API server restarts.
constexpr Duration kAllowedAtMost = minutes(15);
// A policy comes into force a few seconds after it is created.
constexpr Duration kPolicyTakesEffect = minutes(1);
constexpr std::size_t kQuestionsMost = 200;

}  // namespace

bool NamingRights::was_checked(TimePoint created) const {
  if (check_ == NamingCheck::policy) return true;
  return check_ == NamingCheck::automatic && policy_since_ &&
         created >= *policy_since_ + kPolicyTakesEffect;
}

bool NamingRights::note(const NamingPolicy& policy) {
  const bool was_known = std::exchange(is_policy_known_, true);
  return std::exchange(policy_since_, policy.since) != policy.since || !was_known;
}

std::vector<JobId> NamingRights::note(const ReserveAnswer& answer) {
  const auto found = known_.find(answer.question);
  if (found == known_.end()) return {};
  Known& known = found->second;
  const bool is_error = !answer.error.empty();
  const bool is_kept = is_error && known.right == Right::allowed &&
                       known.asked_at - known.confirmed_at < kAllowedAtMost;
  if (!is_kept) known.right = answer.is_allowed && !is_error ? Right::allowed : Right::refused;
  if (!is_error) known.confirmed_at = known.asked_at;
  known.error = answer.error;
  return {known.jobs.begin(), known.jobs.end()};
}

NamingRights::Right NamingRights::right_of(const ReserveQuestion& question, JobId job,
                                           TimePoint now) {
  const bool is_full = known_.size() >= kQuestionsMost && !known_.contains(question);
  if (is_full) return Right::refused;
  const auto [entry, is_new] = known_.try_emplace(question);
  Known& known = entry->second;
  known.jobs.insert(job);
  if (is_new || due_of(known) <= now) {
    known.asked_at = now;
    questions_.push_back(question);
  }
  return known.right;
}

std::string NamingRights::error_of(const ReserveQuestion& question) const {
  const auto found = known_.find(question);
  if (found == known_.end()) {
    return "more than " + std::to_string(kQuestionsMost) + " service accounts name targets";
  }
  return found->second.error;
}

// When it is asked again. Without an answer, also soon.
TimePoint NamingRights::due_of(const Known& known) {
  const bool holds = known.right == Right::allowed && known.error.empty();
  return known.asked_at + (holds ? kAllowedFor : kRefusedFor);
}

std::vector<JobId> NamingRights::take_due(TimePoint now) {
  std::vector<JobId> due;
  // Nobody has asked it since it was last due.
  std::erase_if(known_, [&](const auto& each) {
    return due_of(each.second) <= now && each.second.jobs.empty();
  });
  for (auto& [question, known] : known_) {
    if (due_of(known) > now) continue;
    due.insert(due.end(), known.jobs.begin(), known.jobs.end());
    known.jobs.clear();
  }
  return due;
}

std::vector<ReserveQuestion> NamingRights::take_questions() {
  return std::exchange(questions_, {});
}

}  // namespace berth::mirror
