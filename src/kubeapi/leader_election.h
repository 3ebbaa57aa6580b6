#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "berth/base/clock.h"
#include "kubeapi/state_machine.h"
#include "ports/leadership.h"

namespace berth::kubeapi {

struct LeaseOptions {
  std::string name_space = "berth-system";
  std::string name = "berthd";
  std::string identity;  // unique for each process
  Duration lease_duration = std::chrono::seconds(9);
  Duration renew_deadline = std::chrono::seconds(6);
  Duration retry_period = std::chrono::seconds(2);
  Duration unfit_patience = std::chrono::seconds(15);  // see Callbacks::is_fit
};

// Holds a Lease (coordination.k8s.io/v1) as client-go does: a holder loses it if we see no renewal
// for the lease's duration, by our own clock. docs/design/lease.md has the rules.
class LeaderElection final : public StateMachine {
 public:
  struct Callbacks {
    // `epoch` is greater than that of every leader before; its term has begun.
    std::function<void(std::uint64_t epoch)> start_leading;
    // No decision follows the return of this call. The term is over by then, unless the lease is
    // given back: then it ends after this call.
    std::function<void()> stop_leading;
    std::function<void(const std::string& line)> log;
    // False: what we decide is not carried out. A leader of which that is so for `unfit_patience`
    // gives the lease back, and leaves it to others for `lease_duration`. Empty: always fit.
    std::function<bool()> is_fit = {};
  };

  // `leadership` must outlive this, and so must `wall_clock`, which the Lease shows to people. All
  // other times are those of the clock of `leadership`.
  LeaderElection(ports::Leadership& leadership, const Clock& wall_clock, LeaseOptions options,
                 Callbacks callbacks);

  Step step() override;
  Step answered(Response response) override;
  // Stops leading and gives the lease back, so that the next leader need not wait.
  Step stop() override { return leads_ ? give_back() : Step(); }

  // Terms that ended because the lease was not renewed in time, or was another's. Any thread.
  std::uint64_t losses() const { return losses_; }

 private:
  struct Lease {
    std::string holder;
    std::string renewed;
    std::string acquired;
    std::string version;  // resourceVersion
    std::uint64_t transitions = 0;
    std::int64_t duration_s = 0;
    bool exists = false;
  };

  Step look(const Response& response);
  Step end_attempt(bool holds);
  Step give_back();
  Step end_giving_back();
  Step pause() const;
  Step read() const;
  Step write(Lease lease);
  Request attempt(Request request) const;
  std::optional<Lease> lease_in(const Response& response);
  Lease claim(Lease lease) const;
  bool may_take(const Lease& lease) const;
  bool is_steady(Duration of_lease) const;
  void note_answer(bool is_there);
  void start_leading(std::uint64_t epoch);
  void stop_leading();
  void lose(const char* why);
  bool is_unfit();
  void complain(const std::string& line);
  Duration patience() const;
  Duration patience_of_candidate() const;
  std::string path() const;
  TimePoint now() const { return leadership_.clock().now(); }

  ports::Leadership& leadership_;
  const Clock& wall_clock_;
  const LeaseOptions options_;
  const Callbacks callbacks_;
  Lease seen_;
  Lease written_;  // the answer is awaited
  TimePoint seen_at_;
  std::optional<TimePoint> steady_since_;  // the API server answers; none: it did not the last time
  TimePoint answered_at_;
  TimePoint begun_at_;        // the attempt under way
  TimePoint renewed_at_;      // our last renewal
  TimePoint fit_at_;          // the last time, while we lead
  TimePoint left_to_others_;  // until then
  bool is_writing_ = false;
  bool is_giving_back_ = false;
  bool leads_ = false;
  std::atomic<std::uint64_t> losses_ = 0;
  std::string last_complaint_;
};

}  // namespace berth::kubeapi
