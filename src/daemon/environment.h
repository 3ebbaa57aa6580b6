#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "apiview/pod_interceptor.h"
#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "conf/config.h"
#include "daemon/flags.h"
#include "http/router.h"
#include "podview/pod_window.h"
#include "ports/access.h"
#include "ports/binder.h"
#include "ports/callers.h"
#include "ports/cluster_source.h"
#include "ports/leadership.h"
#include "ports/learned_store.h"
#include "ports/object_writer.h"
#include "ports/starting_pods.h"
#include "proxy/proxy.h"

namespace berth::daemon {

// The world that berthd works in: a cluster behind the ports, and whatever calls and moves it. Made
// first, destroyed last.
class Environment {
 public:
  struct Hooks {
    std::function<void(std::uint64_t epoch)> start_leading;  // returns at once
    std::function<void()> stop_leading;  // returns when nothing is decided any more
    std::function<void()> kube_scheduler_changed;
    // A kube-scheduler carries out what is decided, as far as we can know. Any thread.
    std::function<bool()> has_kube_scheduler;
  };
  // For a kube-scheduler.
  struct Verbs {
    std::uint16_t port = 0;  // the extender listens there
    const http::Router& router;
    std::optional<apiview::PodInterceptor::Parts> view;  // for one that stands in this process
  };

  virtual ~Environment() = default;

  virtual const Clock& clock() const = 0;
  virtual ports::ClusterSource& source() = 0;
  virtual ports::Binder& binder() = 0;
  virtual ports::ObjectWriter& writer() = 0;
  virtual const ports::Leadership& leadership() const = 0;
  // Null: no other berthd may have led here a moment ago.
  virtual ports::StartingPods* starting_pods() { return nullptr; }
  // Null: nothing outlives this process.
  virtual ports::LearnedStore* learned_store() { return nullptr; }

  // Asks about the right to name a target; null: everybody has it. Answers go to the sink.
  virtual ports::Access* access() { return nullptr; }
  virtual void answer_to(ports::EventSink&) {}

  // Asks about bearers of tokens; null: nobody knows them.
  virtual ports::Callers* callers() { return nullptr; }

  // Before the source is started: fails on bad input.
  virtual Status open(Hooks hooks) = 0;
  // When the extender listens and sessions run.
  virtual Status begin(Verbs verbs) = 0;
  // Nothing calls the extender any more, and leading has stopped.
  virtual void stop_callers() = 0;
  // Nothing moves any more. After the sessions.
  virtual void stop() = 0;

  // For /metrics: lines of its own in the exposition format; may be empty.
  virtual std::string exposition() const { return {}; }
  // The table of shown pods is another one. On the session thread.
  virtual void shown_changed() {}
  // The API server, for a proxy in front of it; none: there is none.
  virtual std::optional<proxy::Upstream> upstream() const { return std::nullopt; }

  // The events of pods that the source reads, for that proxy; null: none are kept.
  virtual podview::PodWindow* pod_window() { return nullptr; }

  // Tokens of a service account for that proxy, until stop_callers(): `use` gets each new one, and
  // "" when the last has expired. Before begin().
  virtual void follow_account([[maybe_unused]] const conf::AccountName& account,
                              [[maybe_unused]] std::function<void(const std::string&)> use) {}
  virtual void token_refused() {}  // the API server does not take the last one. Any thread
  // Why there is no valid token; empty: there is one, or none is needed. Any thread.
  virtual std::string account_fault() const { return {}; }
  // The API server does not answer, for /readyz; empty: it does, or there is none. Any thread.
  virtual std::string api_fault() const { return {}; }

  // A further reason for /readyz to wait, besides the sessions; empty: none.
  virtual std::string not_ready() const { return {}; }
  // The configured parts that are not planned for, for /readyz; empty: none. Any thread.
  virtual std::string limitation() const { return {}; }
};

std::unique_ptr<Environment> make_embedded(const Flags& flags,
                                           std::shared_ptr<const conf::Config> config);
// An Error if the cluster cannot be accessed as configured.
Result<std::unique_ptr<Environment>> make_live(const Flags& flags,
                                               std::shared_ptr<const conf::Config> config);

}  // namespace berth::daemon
