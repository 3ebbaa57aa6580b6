#include "kubeapi/leader_election.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "berth/base/clock.h"
#include "berth/base/text.h"
#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

using Json = nlohmann::ordered_json;
using Steady = std::chrono::steady_clock;

constexpr int kNotFound = 404;

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

LeaderElection::LeaderElection(RestClient& client, LeaseOptions options, Callbacks callbacks)
    : client_(client), options_(std::move(options)), callbacks_(std::move(callbacks)) {}

LeaderElection::~LeaderElection() { stop(); }

void LeaderElection::start() {
  thread_ = std::thread([this] { run(); });
}

void LeaderElection::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void LeaderElection::run() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    lock.unlock();
    if (!yield_if_unfit() && Steady::now() >= left_to_others_) hold_or_lose();
    lock.lock();
    // A candidate only reads, and a lease that was given back should not lie idle.
    constexpr Duration kLook = std::chrono::milliseconds(500);
    const Duration pause = leads_ ? options_.retry_period : std::min(options_.retry_period, kLook);
    changed_.wait_for(lock, pause, [this] { return is_stopping_; });
  }
  lock.unlock();
  if (!leads_) return;
  set_leading(false, 0);
  release();
}

void LeaderElection::hold_or_lose() {
  // The time before the request, because the server counts from its own write.
  const auto begun_at = Steady::now();
  const bool holds = attempt();
  if (holds) renewed_at_ = begun_at;
  if (holds && !leads_) set_leading(true, seen_.transitions + 1);
  // A failed attempt may be repeated until the deadline; a lost lease may not.
  const bool is_over = Steady::now() - renewed_at_ >= options_.renew_deadline ||
                       (seen_.exists && seen_.holder != options_.identity);
  if (!holds && leads_ && is_over) set_leading(false, 0);
}

// VIEW-12
bool LeaderElection::yield_if_unfit() {
  const auto now = Steady::now();
  if (!leads_ || !callbacks_.is_fit || callbacks_.is_fit()) fit_at_ = now;
  if (now - fit_at_ < options_.unfit_patience) return false;
  callbacks_.log("no kube-scheduler reads pods through this berthd for " +
                 format_duration(options_.unfit_patience) + "; the lease is left to another");
  set_leading(false, 0);
  release();
  left_to_others_ = Steady::now() + options_.lease_duration;
  return true;
}

void LeaderElection::set_leading(bool leads, std::uint64_t epoch) {
  leads_ = leads;
  callbacks_.log(leads ? "leader by lease " + options_.name_space + "/" + options_.name
                       : "no longer the leader");
  leads ? callbacks_.start_leading(epoch) : callbacks_.stop_leading();
}

bool LeaderElection::attempt() {
  std::optional<Lease> lease = read();
  if (!lease) return false;
  if (!lease->exists || lease->version != seen_.version) seen_at_ = Steady::now();
  seen_ = *lease;
  if (lease->exists && lease->holder != options_.identity && !is_free(*lease)) return false;
  const std::string now = micro_time(SystemClock().now());
  if (!leads_) {
    // Each acquisition counts, even of a lease that was given back or is still ours: an epoch never
    // repeats.
    if (lease->exists) ++lease->transitions;
    lease->acquired = now;
  }
  lease->holder = options_.identity;
  lease->renewed = now;
  lease->duration_s =
      std::chrono::duration_cast<std::chrono::seconds>(options_.lease_duration).count();
  if (!write(*lease)) return false;
  seen_.holder = lease->holder;
  seen_.transitions = lease->transitions;
  seen_.exists = true;
  last_complaint_.clear();
  return true;
}

bool LeaderElection::is_free(const Lease& lease) {
  const Duration duration = std::chrono::seconds(lease.duration_s);
  return lease.holder.empty() || Steady::now() - seen_at_ >= duration;
}

// An attempt takes two requests, and a leader must know in time that it has lost.
Duration LeaderElection::patience() const {
  constexpr Duration kLeast = std::chrono::milliseconds(100);
  if (!leads_) return options_.renew_deadline / 2;
  const Duration left = renewed_at_ + options_.renew_deadline - Steady::now();
  return std::max(kLeast, left / 2);
}

std::string LeaderElection::path() const {
  return "/apis/coordination.k8s.io/v1/namespaces/" + url_encoded(options_.name_space) + "/leases";
}

std::optional<LeaderElection::Lease> LeaderElection::read() {
  Request request;
  request.path = path() + "/" + url_encoded(options_.name);
  request.deadline = patience();
  request.urgent = true;
  const Response response = client_.call(std::move(request));
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

bool LeaderElection::write(const Lease& lease) {
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
  Request request;
  request.method = lease.exists ? "PUT" : "POST";
  request.path = lease.exists ? path() + "/" + url_encoded(options_.name) : path();
  request.content_type = "application/json";
  request.body = json_text(body);
  request.deadline = patience();
  request.urgent = true;
  const Response response = client_.call(std::move(request));
  constexpr int kConflict = 409;  // another berthd was faster
  if (!response.ok() && response.status != kConflict) {
    complain("cannot write the lease: " + response.to_string());
  }
  return response.ok();
}

void LeaderElection::complain(const std::string& line) {
  if (std::exchange(last_complaint_, line) != line) callbacks_.log(line);
}

void LeaderElection::release() {
  std::optional<Lease> lease = read();
  if (!lease || lease->holder != options_.identity) return;
  lease->holder.clear();
  lease->duration_s = 1;
  write(*lease);
}

}  // namespace berth::kubeapi
