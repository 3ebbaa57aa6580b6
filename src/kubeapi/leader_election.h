#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "berth/base/clock.h"
#include "kubeapi/rest_client.h"

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
// for the lease's duration, by our own clock. Runs on its own thread.
class LeaderElection {
 public:
  struct Callbacks {
    // `epoch` is greater than that of every leader before. Called on the election's thread, as is
    // `stop_leading`.
    std::function<void(std::uint64_t epoch)> start_leading;
    // Another may lead after the end of the lease, so no decision may follow the return of this
    // call.
    std::function<void()> stop_leading;
    std::function<void(const std::string& line)> log;
    // False: what we decide is not carried out. A leader of which that is so for `unfit_patience`
    // gives the lease back, and leaves it to others for `lease_duration`. Empty: always fit.
    std::function<bool()> is_fit = {};
  };

  LeaderElection(RestClient& client, LeaseOptions options, Callbacks callbacks);
  ~LeaderElection();  // stop()

  void start();
  // Stops leading and gives the lease back, so that the next leader need not wait. Idempotent.
  void stop();

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

  void run();
  void hold_or_lose();
  // Tries once to get or keep the lease. True if we hold it now.
  bool attempt();
  std::optional<Lease> read();
  bool write(const Lease& lease);
  bool is_free(const Lease& lease);
  void set_leading(bool leads, std::uint64_t epoch);
  // True if we gave the lease back.
  bool yield_if_unfit();
  void complain(const std::string& line);
  void release();
  Duration patience() const;
  std::string path() const;

  RestClient& client_;
  const LeaseOptions options_;
  const Callbacks callbacks_;
  Lease seen_;
  std::chrono::steady_clock::time_point seen_at_;
  std::chrono::steady_clock::time_point renewed_at_;      // our last renewal
  std::chrono::steady_clock::time_point fit_at_;          // the last time, while we lead
  std::chrono::steady_clock::time_point left_to_others_;  // until then
  bool leads_ = false;
  std::string last_complaint_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace berth::kubeapi
