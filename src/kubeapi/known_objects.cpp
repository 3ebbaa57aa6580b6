#include "kubeapi/known_objects.h"

namespace berth::kubeapi {

namespace {

constexpr std::size_t kComplaintsMax = 1000;
constexpr std::size_t kLinesMost = 30;  // about objects, within options.count_lines

}  // namespace

std::string full_name_of(const document::Value& object) {
  std::string name = object.text_at({"metadata", "name"});
  if (name.empty()) return name;
  const std::string name_space = object.text_at({"metadata", "namespace"});
  return name_space.empty() ? name : name_space + "/" + name;
}

std::string KnownObjects::id_of(const document::Value& object) const {
  return kind_.by_uid ? object.text_at({"metadata", "uid"}) : full_name_of(object);
}

// API-15: an object that cannot be decoded is reported and skipped. The last good state of it
// stays. API-25: many objects may have the same fault in a part, so that is reported once.
void KnownObjects::change(const document::Value& object) {
  std::string id = id_of(object);
  const auto known = generations_.find(id);
  if (known != generations_.end()) known->second = generation_;
  ReflectedKind::Complaint complaint;
  const Status accepted =
      id.empty() ? Status(Error{"it has no name or no uid", ""}) : kind_.changed(object, complaint);
  const std::string what = accepted && !complaint ? "" : kind_.name + " " + full_name_of(object);
  if (!what.empty()) ++counters_.decode_failures;
  if (!accepted) return complain_of_object(what, what, accepted.error());
  if (complaint) complain_of_object(kind_.name + ": " + complaint->message, what, *complaint);
  if (known == generations_.end()) generations_.emplace(std::move(id), generation_);
  ++counters_.events;
  counters_.objects = generations_.size();
}

void KnownObjects::remove(const document::Value& object) {
  const auto known = generations_.find(id_of(object));
  if (known == generations_.end()) return;
  const std::string id = known->first;
  generations_.erase(known);
  kind_.gone(id);
  ++counters_.events;
  counters_.objects = generations_.size();
}

// API-13: objects of earlier lists and watches that this list does not have are gone.
void KnownObjects::end_list() {
  for (auto known = generations_.begin(); known != generations_.end();) {
    if (known->second == generation_) {
      ++known;
      continue;
    }
    kind_.gone(known->first);
    known = generations_.erase(known);
    ++counters_.events;
  }
  counters_.objects = generations_.size();
}

bool KnownObjects::is_due(const std::string& key) {
  const TimePoint now = clock_.now();
  if (complained_.size() >= kComplaintsMax) complained_.clear();
  const auto [last, is_new] = complained_.try_emplace(key, now);
  if (!is_new && now - last->second < options_.report_again) return false;
  last->second = now;
  return true;
}

void KnownObjects::complain(const Error& error) {
  if (options_.complain && is_due(error.message)) options_.complain(kind_.name, error);
}

// BOUND-8. A user can have a fault of his own in each object.
void KnownObjects::complain_of_object(const std::string& key, const std::string& what,
                                      const Error& error) {
  if (!options_.complain || !is_due(key)) return;
  const TimePoint now = clock_.now();
  if (now - lines_since_ >= options_.count_lines) {
    if (lines_ > kLinesMost) {
      const std::string left_out = std::to_string(lines_ - kLinesMost);
      options_.complain(kind_.name, {left_out + " further objects have a fault of their own", ""});
    }
    lines_since_ = now;
    lines_ = 0;
  }
  if (++lines_ <= kLinesMost) options_.complain(what, error);
}

}  // namespace berth::kubeapi
