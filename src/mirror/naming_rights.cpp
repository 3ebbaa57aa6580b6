#include "mirror/naming_rights.h"

#include <algorithm>
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
constexpr std::size_t kPairsMost = 50;  // of a namespace

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
  const auto space = spaces_.find(answer.question.name_space);
  if (space == spaces_.end()) return {};
  const auto found = space->second.pairs.find(answer.question);
  if (found == space->second.pairs.end()) return {};
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
  Space& space = spaces_[question.name_space];
  asking_[job] = question.name_space;
  if (!space.pairs.contains(question) && !make_room(space, now)) {
    space.waiting.insert(job);
    return Right::refused;
  }
  const auto [entry, is_new] = space.pairs.try_emplace(question);
  Known& known = entry->second;
  known.jobs.insert(job);
  if (is_new || due_of(known) <= now) {
    known.asked_at = now;
    questions_.push_back(question);
  }
  return known.right;
}

void NamingRights::release(JobId job) {
  const auto asks = asking_.find(job);
  if (asks == asking_.end()) return;
  Space& space = spaces_.at(asks->second);
  asking_.erase(asks);
  space.waiting.erase(job);
  for (auto& [question, known] : space.pairs) known.jobs.erase(job);
}

// MAY-10. A pair that no job asks about makes room. It was asked a while ago, so a user who makes
// and deletes pods has no more questions asked than one who waits.
bool NamingRights::may_go(const Known& known, TimePoint now) {
  return known.jobs.empty() && known.asked_at + kRefusedFor <= now;
}

bool NamingRights::make_room(Space& space, TimePoint now) {
  if (space.pairs.size() < kPairsMost) return true;
  const auto unused = std::find_if(space.pairs.begin(), space.pairs.end(),
                                   [&](const auto& each) { return may_go(each.second, now); });
  if (unused == space.pairs.end()) return false;
  space.pairs.erase(unused);
  return true;
}

const NamingRights::Known* NamingRights::find(const ReserveQuestion& question) const {
  const auto space = spaces_.find(question.name_space);
  if (space == spaces_.end()) return nullptr;
  const auto found = space->second.pairs.find(question);
  return found == space->second.pairs.end() ? nullptr : &found->second;
}

std::string NamingRights::error_of(const ReserveQuestion& question) const {
  const Known* const known = find(question);
  if (known != nullptr) return known->error;
  return "more than " + std::to_string(kPairsMost) +
         " pairs of service account and queue are asked about for this namespace";
}

// When it is asked again. Without an answer, also soon.
TimePoint NamingRights::due_of(const Known& known) {
  const bool holds = known.right == Right::allowed && known.error.empty();
  return known.asked_at + (holds ? kAllowedFor : kRefusedFor);
}

std::vector<JobId> NamingRights::take_due(TimePoint now) {
  std::vector<JobId> due;
  for (auto& [name, space] : spaces_) {
    std::erase_if(space.pairs, [&](const auto& each) {
      return due_of(each.second) <= now && each.second.jobs.empty();
    });
    for (const auto& [question, known] : space.pairs) {
      if (due_of(known) <= now) due.insert(due.end(), known.jobs.begin(), known.jobs.end());
    }
    if (space.waiting.empty()) continue;
    const bool has_room = space.pairs.size() < kPairsMost ||
                          std::any_of(space.pairs.begin(), space.pairs.end(),
                                      [&](const auto& each) { return may_go(each.second, now); });
    if (has_room) due.insert(due.end(), space.waiting.begin(), space.waiting.end());
  }
  std::erase_if(spaces_, [](const auto& each) {
    return each.second.pairs.empty() && each.second.waiting.empty();
  });
  return due;
}

std::vector<ReserveQuestion> NamingRights::take_questions() {
  std::map<std::string, std::size_t> asked;  // of each namespace
  std::vector<std::pair<std::size_t, ReserveQuestion>> in_turn;
  for (ReserveQuestion& question : std::exchange(questions_, {})) {
    const std::size_t turn = asked[question.name_space]++;
    in_turn.emplace_back(turn, std::move(question));
  }
  std::stable_sort(in_turn.begin(), in_turn.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::vector<ReserveQuestion> questions;
  for (auto& [turn, question] : in_turn) questions.push_back(std::move(question));
  return questions;
}

}  // namespace berth::mirror
