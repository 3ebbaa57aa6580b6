#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apiview/pod_interceptor.h"
#include "berth/base/forward_clock.h"
#include "conf/config.h"
#include "daemon/core.h"
#include "http/router.h"
#include "kubeapi/leader_election.h"
#include "kubeapi/lease_object.h"
#include "world/faults.h"
#include "world/laws.h"
#include "world/reader.h"

namespace berth::world {

using Lease = kubeapi::testing::LeaseObject;

// The extender's.
inline constexpr const char* kVerbPaths[] = {"/plan/filter", "/plan/prioritize", "/guard/preempt",
                                             "/commit/bind"};

// One run of a berthd: the real core, between watches, writes and calls that go wrong. Its end is
// that of the process: nothing of it is left.
class Berthd {
 public:
  Berthd(Agenda& agenda, const Clock& wall, Network& network, ApiServer& server, Laws& laws,
         Lease& lease, const conf::Config& config, std::string name);
  ~Berthd();

  Life& life() { return life_; }
  // The server has something new.
  void server_changed();
  // Calls come only while it does not stand still.
  const http::Router& verbs() const { return front_; }
  apiview::PodInterceptor& view() { return view_; }
  void kube_scheduler_changed() { core_.loop.kube_scheduler_changed(); }
  // As a rollout ends it: it gives its lease back. `gone` destroys it.
  void retire(std::function<void()> gone);
  bool is_retiring() const { return is_retiring_; }
  std::uint64_t sessions() const { return core_.loop.last_session().sessions; }
  bool leads() const { return leadership_.epoch() != 0; }
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  class BerthdEnvironment;

  void wake();
  void step();
  void tick();
  // The next step of the election.
  void campaign(kubeapi::Step step);
  void drain(TimePoint until, std::function<void()> gone);

  Life life_;
  Agenda& agenda_;
  const ForwardClock clock_;
  Network& network_;
  ApiServer& server_;
  Laws& laws_;
  Lease& lease_;
  const std::string name_;
  const bool is_viewed_;  // else steering mode `nominate`
  std::vector<std::string> complaints_;
  ports::Leadership leadership_;
  kubeapi::LeaderElection election_;
  bool is_campaign_paused_ = false;
  bool is_retiring_ = false;
  std::function<void()> gone_;                       // once the lease has been given back
  podview::PodWindow window_{std::size_t{1} << 17};  // so that events leave it
  telemetry::Metrics metrics_;
  std::unique_ptr<BerthdEnvironment> environment_;
  daemon::Core core_;
  apiview::PodInterceptor view_;
  http::Router router_;  // the core's verbs
  http::Router front_;   // leads there
  std::vector<std::unique_ptr<Reader>> readers_;
  TimePoint gathers_until_;
  TimePoint next_step_ = TimePoint::max();
  std::uint64_t step_number_ = 0;
};

}  // namespace berth::world
