#include "kubeapi/leader_election.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "berth/base/text.h"
#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

using Json = nlohmann::ordered_json;
constexpr Duration kLook = std::chrono::milliseconds(500);   // a candidate's pause, at most
constexpr Duration kSlack = std::chrono::milliseconds(500);  // of a busy machine

// MicroTime: RFC 3339 with six digits.
std::string micro_time(TimePoint time) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(
                          time.time_since_epoch() % std::chrono::seconds(1))
                          .count();
  std::string text = format_time(std::chrono::floor<std::chrono::seconds>(time));
  std::string digits = std::to_string(micros);
  digits.insert(0, 6 - digits.size(), '0');
  return text.substr(0, text.find_first_of("Z.")) + "." + digits + "Z";
}

}  // namespace

LeaderElection::LeaderElection(ports::Leadership& leadership, const Clock& wall_clock,
                               LeaseOptions options, Callbacks callbacks)
    : leadership_(leadership),
      wall_clock_(wall_clock),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)) {}

Step LeaderElection::step() {
  if (is_unfit()) return give_back();
  if (now() < left_to_others_) return pause();
  // LEASE-1
  if (leads_ && leadership_.epoch() == 0) {
    lose("it was not renewed in time");
    return pause();
  }
  begun_at_ = now();
  return read();
}

Step LeaderElection::answered(Response response) {
  if (!std::exchange(is_writing_, false)) return look(response);
  constexpr int kConflict = 409;  // another berthd was faster
  if (!response.ok() && response.status != kConflict) {
    complain("cannot write the lease: " + response.to_string());
  }
  if (is_giving_back_) return end_giving_back();
  if (response.ok()) {
    seen_ = written_;
    last_complaint_.clear();
  }
  return end_attempt(response.ok());
}

Step LeaderElection::look(const Response& response) {
  std::optional<Lease> lease = lease_in(response);
  if (is_giving_back_) {
    if (!lease || lease->holder != options_.identity) return end_giving_back();
    lease->holder.clear();
    lease->duration_s = 1;
    return write(*std::move(lease));
  }
  note_answer(lease.has_value());
  if (!lease) return end_attempt(false);
  if (!lease->exists || lease->version != seen_.version) seen_at_ = now();
  // LEASE-1: one that was deleted and is made anew goes on with its epochs.
  lease->transitions = std::max(lease->transitions, seen_.transitions);
  seen_ = *lease;
  return may_take(*lease) ? write(claim(*std::move(lease))) : end_attempt(false);
}

Step LeaderElection::end_attempt(bool holds) {
  // From the time before the requests, because the server counts from its own write.
  const TimePoint until = begun_at_ + options_.renew_deadline;
  if (holds && !leads_) {
    renewed_at_ = begun_at_;
    const std::uint64_t epoch = seen_.transitions + 1;
    leadership_.begin(epoch, until);
    if (leadership_.holds(epoch)) start_leading(epoch);  // else the next attempt has another epoch
  } else if (holds && leadership_.extend(until)) {
    renewed_at_ = begun_at_;
  } else if (leads_ && leadership_.epoch() == 0) {
    lose("it was not renewed in time");
  } else if (leads_ && seen_.exists && seen_.holder != options_.identity) {
    // A failed attempt may be repeated until the deadline; a lost lease may not.
    lose("another holds it");
  }
  return pause();
}

Step LeaderElection::give_back() {
  stop_leading();
  is_giving_back_ = true;
  return read();
}

Step LeaderElection::end_giving_back() {
  is_giving_back_ = false;
  left_to_others_ = now() + options_.lease_duration;
  return pause();
}

// A candidate only reads, and a lease that was given back should not lie idle.
Step LeaderElection::pause() const {
  return {.pause = leads_ ? options_.retry_period : std::min(options_.retry_period, kLook)};
}

void LeaderElection::lose(const char* why) {
  leadership_.end();
  ++losses_;
  callbacks_.log("lost lease " + options_.name_space + "/" + options_.name + ": " + why);
  stop_leading();
}

// VIEW-12
bool LeaderElection::is_unfit() {
  if (!leads_ || !callbacks_.is_fit || callbacks_.is_fit()) fit_at_ = now();
  if (now() - fit_at_ < options_.unfit_patience) return false;
  callbacks_.log("no kube-scheduler reads pods through this berthd for " +
                 format_duration(options_.unfit_patience) + "; the lease is left to another");
  return true;
}

void LeaderElection::start_leading(std::uint64_t epoch) {
  leads_ = true;
  callbacks_.log("leader by lease " + options_.name_space + "/" + options_.name);
  callbacks_.start_leading(epoch);
}

void LeaderElection::stop_leading() {
  leads_ = false;
  callbacks_.log("no longer the leader");
  callbacks_.stop_leading();
  leadership_.end();
}

// Our own lease is as any other to a candidate: it was lost.
bool LeaderElection::may_take(const Lease& lease) const {
  const bool is_ours = lease.holder == options_.identity;
  if (leads_ && lease.exists) return is_ours;
  if (lease.holder.empty()) return true;
  const Duration duration = std::chrono::seconds(lease.duration_s);
  return is_steady(duration) && (is_ours || now() - seen_at_ >= duration);
}

LeaderElection::Lease LeaderElection::claim(Lease lease) const {
  const std::string time = micro_time(wall_clock_.now());
  if (!leads_) {
    // Each acquisition counts, even of a lease that was given back or is still ours: an epoch never
    // repeats.
    if (lease.exists || lease.transitions > 0) ++lease.transitions;
    lease.acquired = time;
  }
  lease.holder = options_.identity;
  lease.renewed = time;
  lease.duration_s =
      std::chrono::duration_cast<std::chrono::seconds>(options_.lease_duration).count();
  return lease;
}

// LEASE-8. A holder writes nothing in the last part of its lease. That is the time that its last
// writes have, if the API server works; and so have our watches.
bool LeaderElection::is_steady(Duration of_lease) const {
  constexpr Duration kMost = std::chrono::seconds(5);
  const Duration least =
      std::min({options_.lease_duration - options_.renew_deadline, of_lease, kMost});
  return steady_since_ && now() - *steady_since_ >= least;
}

// After a gap, either the API server or this process stood still.
void LeaderElection::note_answer(bool is_there) {
  const Duration gap = patience_of_candidate() + kLook + kSlack;
  const TimePoint at = now();
  if (!is_there) {
    steady_since_.reset();
  } else if (!steady_since_ || at - answered_at_ > std::max(gap, 2 * options_.retry_period)) {
    steady_since_ = at;
  }
  answered_at_ = at;
}

Duration LeaderElection::patience_of_candidate() const { return options_.renew_deadline / 2; }

// An attempt takes two requests, and a leader must know in time that it has lost.
Duration LeaderElection::patience() const {
  constexpr Duration kLeast = std::chrono::milliseconds(100);
  if (!leads_) return patience_of_candidate();
  const Duration left = renewed_at_ + options_.renew_deadline - now();
  return std::max(kLeast, left / 2);
}

std::string LeaderElection::path() const {
  return "/apis/coordination.k8s.io/v1/namespaces/" + url_encoded(options_.name_space) + "/leases";
}

Request LeaderElection::attempt(Request request) const {
  request.deadline = patience();
  request.urgent = true;
  request.needs_no_term = true;
  return request;
}

Step LeaderElection::read() const {
  Request read;
  read.path = path() + "/" + url_encoded(options_.name);
  return {.request = attempt(std::move(read))};
}

std::optional<LeaderElection::Lease> LeaderElection::lease_in(const Response& response) {
  if (response.status == kNotFound) return Lease{};
  const nlohmann::json json = read_json(response.body);
  if (!response.ok() || !json.is_object()) {
    complain("cannot read the lease: " + response.to_string());
    return std::nullopt;
  }
  Lease lease;
  lease.exists = true;
  lease.holder = text_at(json, "/spec/holderIdentity");
  lease.renewed = text_at(json, "/spec/renewTime");
  lease.acquired = text_at(json, "/spec/acquireTime");
  lease.version = text_at(json, "/metadata/resourceVersion");
  lease.transitions = static_cast<std::uint64_t>(integer_at(json, "/spec/leaseTransitions"));
  constexpr std::int64_t kSecondsMax = std::numeric_limits<std::int32_t>::max();  // as the field
  lease.duration_s =
      std::clamp<std::int64_t>(integer_at(json, "/spec/leaseDurationSeconds"), 0, kSecondsMax);
  return lease;
}

Step LeaderElection::write(Lease lease) {
  Json body{{"apiVersion", "coordination.k8s.io/v1"},
            {"kind", "Lease"},
            {"metadata", {{"name", options_.name}, {"namespace", options_.name_space}}},
            {"spec",
             {{"holderIdentity", lease.holder},
              {"leaseDurationSeconds", lease.duration_s},
              {"leaseTransitions", lease.transitions}}}};
  if (!lease.acquired.empty()) body["spec"]["acquireTime"] = lease.acquired;
  if (!lease.renewed.empty()) body["spec"]["renewTime"] = lease.renewed;
  if (lease.exists) body["metadata"]["resourceVersion"] = lease.version;
  const std::string at = lease.exists ? path() + "/" + url_encoded(options_.name) : path();
  Request write = attempt(request_with(lease.exists ? "PUT" : "POST", at, kJson, json_text(body)));
  lease.exists = true;
  written_ = std::move(lease);
  is_writing_ = true;
  return {.request = std::move(write)};
}

void LeaderElection::complain(const std::string& line) {
  if (std::exchange(last_complaint_, line) != line) callbacks_.log(line);
}

}  // namespace berth::kubeapi
