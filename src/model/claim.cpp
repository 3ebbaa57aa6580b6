#include "berth/model/claim.h"

#include "berth/base/dns_name.h"
#include "berth/base/number.h"
#include "berth/base/text.h"
#include "berth/model/cluster.h"

namespace berth {

namespace {

// No job is larger; a text that says otherwise is not ours.
constexpr std::size_t kClaimsMost = 100'000;
constexpr const char* kOthersLeft = "+evicted";  // no name of a node

}  // namespace

std::string to_text(const WrittenClaims& claims) {
  if (claims.nodes.empty()) return {};
  std::string text = format_time(claims.since);
  for (const auto& [node, count] : claims.nodes) {
    text += " " + node;
    if (count > 1) text += "*" + std::to_string(count);
  }
  if (claims.others_left) text += std::string(" ") + kOthersLeft;
  return text;
}

WrittenClaims parse_claims(std::string_view text) {
  const std::vector<std::string> words = split_list(text, ' ');
  if (words.empty()) return {};
  const Result<TimePoint> since = parse_time(words.front());
  if (!since) return {};
  WrittenClaims claims{*since, {}, words.back() == kOthersLeft};
  std::size_t all = 0;
  const std::size_t end_of_nodes = words.size() - (claims.others_left ? 1 : 0);
  for (std::size_t i = 1; i < end_of_nodes; ++i) {
    const std::size_t star = words[i].find('*');
    std::size_t count = 1;
    if (star != std::string::npos) {
      count = parse_number<std::size_t>(words[i].substr(star + 1)).value_or(0);
    }
    std::string node = words[i].substr(0, star);
    if (!is_dns_name(node) || count == 0 || count > kClaimsMost - all) return {};
    all += count;
    claims.nodes.push_back({std::move(node), count});
  }
  return claims;
}

const char* to_string(EndedClaims::How how) {
  switch (how) {
    case EndedClaims::How::cannot_start:
      return "it cannot start any more with the room that it was promised";
    case EndedClaims::How::timed_out:
      return "the room that it was promised was not vacated in time";
  }
  return "?";
}

std::string claims_of(const Cluster& cluster, const Job& job) {
  WrittenClaims written;
  for (const Claim& claim : job.claims) {
    written.since = written.nodes.empty() ? claim.since : std::min(written.since, claim.since);
    const std::string& node = cluster.node(claim.node).name;
    if (written.nodes.empty() || written.nodes.back().node != node) {
      written.nodes.push_back({node, 0});
    }
    ++written.nodes.back().count;
  }
  written.others_left = job.others_left_for_it;
  return to_text(written);
}

TargetMarks marks_of(const Cluster& cluster, const Job& job) {
  TargetMarks marks;
  marks.is_named = job.is_named_target;
  marks.is_declined = job.declines_target;
  if (job.first_seen != TimePoint()) marks.first_seen = job.first_seen;
  if (job.election) {
    marks.elected_at = job.election->since;
    marks.why = job.election->why;
  }
  marks.given_up_at = job.given_up_at;
  marks.is_elected =
      job.election && !job.election->is_named && !job.is_named_target && !job.declines_target;
  marks.claims = claims_of(cluster, job);
  return marks;
}

}  // namespace berth
