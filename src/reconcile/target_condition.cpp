#include "reconcile/target_condition.h"

#include "berth/base/text.h"
#include "berth/model/quantity.h"

namespace berth::reconcile {

namespace {

using How = EndedReservation::How;

std::string in_seconds(TimePoint time) {
  return format_time(std::chrono::floor<std::chrono::seconds>(time));
}

// "cpu 12 of 64"
std::string text_of(const Reservation::Missing& missing, const Cluster& cluster) {
  const std::string& resource = cluster.dimensions().name(missing.dimension);
  return resource + " " + format_quantity(resource, missing.idle) + " of " +
         format_quantity(resource, missing.need);
}

const char* reason_of(How how) {
  switch (how) {
    case How::started:
      return "Started";
    case How::given_up:
      return "GivenUp";
    case How::impossible:
      return "Impossible";
    case How::displaced:
      return "Displaced";
    case How::too_many:
      return "TooMany";
    case How::off:
      return "Off";
    case How::deleted:
      return "Deleted";
    case How::withdrawn:
      return "Withdrawn";
  }
  return "Unknown";
}

std::string names_of(const std::vector<NodeId>& nodes, const Cluster& cluster) {
  std::vector<std::string> names;
  for (const NodeId node : nodes) names.push_back(cluster.node(node).name);
  return first_names(names);
}

}  // namespace

WrittenCondition target_condition(const Reservation& reservation, const Cluster& cluster) {
  const bool is_locked = !reservation.nodes.empty();
  WrittenCondition condition;
  condition.holds = true;
  condition.reason = is_locked ? "Locked" : "Elected";
  std::string& text = condition.message;
  text = "target since " + in_seconds(reservation.election.since) + " (" +
         reservation.election.why + "); lock: " + to_string(reservation.scheme);
  if (is_locked) {
    const bool is_one = reservation.nodes.size() == 1;
    text += "; " + count_text(reservation.nodes.size(), "node") + (is_one ? " is" : " are") +
            " kept for it: " + names_of(reservation.nodes, cluster);
    if (reservation.locked_since) text += ", since " + in_seconds(*reservation.locked_since);
    if (!reservation.is_covered) {
      text += is_one ? "; it does" : "; they do";
      text += " not suffice, however much finishes there";
    }
  } else {
    text += "; no node is kept for it yet";
  }
  const char* separator = "; idle there: ";
  for (const Reservation::Missing& missing : reservation.missing) {
    text += separator + text_of(missing, cluster);
    separator = ", ";
  }
  if (reservation.times_out_at) {
    text += "; every usable node is locked from " + in_seconds(*reservation.times_out_at);
  }
  if (reservation.gives_up_at) text += "; given up at " + in_seconds(*reservation.gives_up_at);
  return condition;
}

WrittenCondition target_condition(const EndedReservation& ended) {
  return {false, reason_of(ended.how), sentence_of(ended), {}};
}

WrittenCondition refused_name_condition(const Job& job) {
  return {false,
          kNotAllowed,
          "it is named as a target (berth.dev/target), which counts only with the right to reserve "
          "nodes: " +
              job.target_refused,
          {}};
}

WrittenCondition no_name_condition() {
  return {
      false, reason_of(How::withdrawn), "it is not named as a target, or its name counts now", {}};
}

std::string sentence_of(const EndedReservation& ended) {
  switch (ended.how) {
    case How::started:
      return "it has its minimum";
    case How::given_up:
      return "it was a target for too long without being able to start";
    case How::impossible:
      return "it cannot start, even if all other pods that end have ended: " + sentence(ended);
    case How::displaced:
      return "a user named another target";
    case How::too_many:
      return "the configuration allows fewer targets now";
    case How::off:
      return "the configuration reserves nothing any more";
    case How::deleted:
      return "it was deleted";
    case How::withdrawn:
      return "its user does not want it to be one any more";
  }
  return "";
}

}  // namespace berth::reconcile
