#include "mirror/naming_rights.h"

#include <algorithm>
#include <utility>

#include "berth/base/look_up.h"

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
constexpr std::size_t kPairsMost = 50;        // of a namespace
constexpr std::size_t kAskedInASecond = 100;  // for the cluster

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

std::vector<JobId> NamingRights::note(const RightAnswer& answer) {
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
  look_by(due_of(known), space->first, space->second);
  return {known.jobs.begin(), known.jobs.end()};
}

NamingRights::Right NamingRights::right_of(const RightQuestion& question, JobId job,
                                           TimePoint now) {
  Space& space = spaces_[question.name_space];
  asking_[job] = question.name_space;
  if (!space.pairs.contains(question) && !make_room(space, now)) {
    space.waiting.insert(job);
    for (const auto& [each, known] : space.pairs) {
      if (known.jobs.empty()) look_by(goes_at(known), question.name_space, space);
    }
    return Right::refused;
  }
  const auto [entry, is_new] = space.pairs.try_emplace(question);
  Known& known = entry->second;
  known.jobs.insert(job);
  if (is_new || due_of(known) <= now) queue(space, question, known);
  return known.right;
}

void NamingRights::release(JobId job) {
  const auto asks = asking_.find(job);
  if (asks == asking_.end()) return;
  const std::string name = std::move(asks->second);
  asking_.erase(asks);
  Space& space = spaces_.at(name);
  space.waiting.erase(job);
  for (auto& [question, known] : space.pairs) {
    if (known.jobs.erase(job) == 0 || !known.jobs.empty()) continue;
    if (!space.waiting.empty()) look_by(goes_at(known), name, space);
  }
}

// MAY-10. When a pair that no job asks about makes room: a while after its question, so a user who
// makes and deletes pods has no more questions asked than one who waits.
TimePoint NamingRights::goes_at(const Known& known) {
  if (!known.jobs.empty()) return TimePoint::max();
  return known.is_queued ? TimePoint() : known.asked_at + kRefusedFor;
}

bool NamingRights::has_room(const Space& space, TimePoint now) {
  return space.pairs.size() < kPairsMost ||
         std::any_of(space.pairs.begin(), space.pairs.end(),
                     [&](const auto& each) { return goes_at(each.second) <= now; });
}

bool NamingRights::make_room(Space& space, TimePoint now) {
  if (space.pairs.size() < kPairsMost) return true;
  const auto unused = std::find_if(space.pairs.begin(), space.pairs.end(),
                                   [&](const auto& each) { return goes_at(each.second) <= now; });
  if (unused == space.pairs.end()) return false;
  forget(space, unused);
  return true;
}

NamingRights::Pairs::iterator NamingRights::forget(Space& space, Pairs::iterator pair) {
  if (pair->second.is_queued) std::erase(space.queued, pair->first);
  return space.pairs.erase(pair);
}

const NamingRights::Known* NamingRights::find(const RightQuestion& question) const {
  const auto space = spaces_.find(question.name_space);
  if (space == spaces_.end()) return nullptr;
  return find_value(space->second.pairs, question);
}

std::string NamingRights::error_of(const RightQuestion& question) const {
  const Known* const known = find(question);
  if (known != nullptr) return known->error;
  return "more than " + std::to_string(kPairsMost) + " rights are asked about for this namespace";
}

// When it is asked again. Without an answer, also soon.
TimePoint NamingRights::due_of(const Known& known) {
  if (known.is_queued) return TimePoint::max();
  const bool holds = known.right == Right::allowed && known.error.empty();
  return known.asked_at + (holds ? kAllowedFor : kRefusedFor);
}

void NamingRights::look_by(TimePoint time, const std::string& name, Space& space) {
  if (time >= space.look_at) return;
  looks_.erase({space.look_at, name});
  looks_.emplace(time, name);
  space.look_at = time;
}

std::vector<JobId> NamingRights::take_due(TimePoint now) {
  std::vector<std::string> names;
  for (auto at = looks_.begin(); at != looks_.end() && at->first <= now; ++at) {
    names.push_back(at->second);
  }
  std::vector<JobId> due;
  for (const std::string& name : names) look(name, now, due);
  return due;
}

void NamingRights::look(const std::string& name, TimePoint now, std::vector<JobId>& due) {
  Space& space = spaces_.at(name);
  looks_.erase({space.look_at, name});
  space.look_at = TimePoint::max();
  TimePoint next = TimePoint::max();
  for (auto at = space.pairs.begin(); at != space.pairs.end();) {
    const Known& known = at->second;
    const bool is_due = due_of(known) <= now;
    if (is_due && known.jobs.empty()) {
      at = forget(space, at);
      continue;
    }
    if (is_due) due.insert(due.end(), known.jobs.begin(), known.jobs.end());
    next = std::min(next, due_of(known));
    if (!space.waiting.empty()) next = std::min(next, goes_at(known));
    ++at;
  }
  if (!space.waiting.empty() && has_room(space, now)) {
    due.insert(due.end(), space.waiting.begin(), space.waiting.end());
    next = now;
  }
  look_by(next, name, space);
  drop_if_empty(name);
}

void NamingRights::drop_if_empty(const std::string& name) {
  const auto found = spaces_.find(name);
  const Space& space = found->second;
  if (!space.pairs.empty() || !space.waiting.empty() || space.is_in_turn) return;
  looks_.erase({space.look_at, name});
  spaces_.erase(found);
}

// MAY-10. Namespaces are asked about in turn, so one with many questions delays another by one.
void NamingRights::queue(Space& space, const RightQuestion& question, Known& known) {
  known.is_queued = true;
  space.queued.push_back(question);
  if (!std::exchange(space.is_in_turn, true)) turns_.push_back(question.name_space);
}

std::vector<RightQuestion> NamingRights::take_questions(TimePoint now) {
  if (now - second_began_ >= seconds(1)) {
    second_began_ = now;
    asked_in_second_ = 0;
  }
  std::vector<RightQuestion> questions;
  while (!turns_.empty() && asked_in_second_ < kAskedInASecond) {
    const std::string name = std::move(turns_.front());
    turns_.pop_front();
    Space& space = spaces_.at(name);
    if (auto question = take_question(space, now)) {
      look_by(due_of(space.pairs.at(*question)), name, space);
      questions.push_back(*std::move(question));
      ++asked_in_second_;
    }
    space.is_in_turn = !space.queued.empty();
    if (space.is_in_turn) turns_.push_back(name);
    drop_if_empty(name);
  }
  return questions;
}

std::optional<RightQuestion> NamingRights::take_question(Space& space, TimePoint now) {
  while (!space.queued.empty()) {
    const auto pair = space.pairs.find(space.queued.front());
    if (pair->second.jobs.empty()) {
      forget(space, pair);
      continue;
    }
    space.queued.pop_front();
    pair->second.is_queued = false;
    pair->second.asked_at = now;
    return pair->first;
  }
  return std::nullopt;
}

}  // namespace berth::mirror
