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
  std::string identity;  // no two processes have the same
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
};

// Holds a Lease (coordination.k8s.io/v1) as client-go does: whoever's renewals have not been seen
// for the lease's duration, by our own clock, has lost it. On a thread of its own.
class LeaderElection {
 public:
  struct Callbacks {
    // Above that of every leader before. On the election's thread, as is `rest`.
    std::function<void(std::uint64_t epoch)> start_leading;
    // Another may lead from the end of the lease on: nothing may be decided when this returns.
    std::function<void()> stop_leading;
    std::function<void(const std::string& line)> tell;
  };

  LeaderElection(RestClient& client, LeaseOptions options, Callbacks callbacks);
  ~LeaderElection();  // stop()

  void start();
  // Rests if we lead, and gives the lease back, so that another need not wait. Idempotent.
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
  // One attempt to get or keep the lease; true if we hold it now.
  bool attempt();
  std::optional<Lease> read();
  bool write(const Lease& lease);
  bool is_free(const Lease& lease);
  void set_leading(bool leads, std::uint64_t epoch);
  void complain(const std::string& line);
  void release();
  Duration patience() const;
  std::string path() const;

  RestClient& client_;
  const LeaseOptions options_;
  const Callbacks callbacks_;
  Lease seen_;
  std::chrono::steady_clock::time_point seen_at_;
  std::chrono::steady_clock::time_point renewed_at_;  // by us
  bool leads_ = false;
  std::string last_complaint_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace berth::kubeapi
