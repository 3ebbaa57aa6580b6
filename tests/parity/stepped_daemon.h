#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "conf/config.h"
#include "daemon/core.h"
#include "embedded/kubelet.h"
#include "support/agenda.h"

namespace berth::parity {

// The decisions of one session: "ml/g1-0 on n2", and "ml/g2-3 by preempt for ml/g1: ...". Sorted.
struct Decisions {
  std::vector<std::string> binds;
  std::vector<std::string> evictions;
  bool operator==(const Decisions&) const = default;
};

// The core of berthd on an embedded cluster, a session at a time. The clock stands between the
// sessions, and kube-scheduler binds each pod as soon as it is shown.
class SteppedDaemon {
 public:
  // Objects with a later creation time come at that time.
  SteppedDaemon(conf::Config config, std::vector<ClusterEvent> objects, TimePoint start);

  // All that is due by `now` happens, then a session runs, and its plan is carried out.
  Decisions step(TimePoint now);

 private:
  // The cluster as the core's ports show it. It notes what is evicted.
  class InMemory final : public daemon::Environment,
                         public ports::ClusterSource,
                         public ports::Binder,
                         public ports::ObjectWriter {
   public:
    explicit InMemory(SteppedDaemon& owner) : owner_(owner), leadership_(owner.agenda_) {}

    const Clock& clock() const override { return owner_.agenda_; }
    ports::ClusterSource& source() override { return *this; }
    ports::Binder& binder() override { return *this; }
    ports::ObjectWriter& writer() override { return *this; }
    const ports::Leadership& leadership() const override { return leadership_; }
    Status open(Hooks) override;
    Status begin(Verbs) override { return Done{}; }
    void stop_callers() override {}
    Status start(ports::EventSink&) override { return Done{}; }
    bool is_synced() const override { return true; }
    void stop() override {}
    void bind(const ports::Binding& binding,
              std::function<void(ports::BindOutcome)> done) override {
      done(owner_.server_.bind(binding));
    }
    void write(const ports::Write& write, std::function<void(ports::WriteOutcome)> done) override;

    std::vector<std::string> evictions;

   private:
    SteppedDaemon& owner_;
    ports::Leadership leadership_;
  };

  void create_due(TimePoint now);
  void bind_shown(Decisions& decisions);
  daemon::EventQueue::Batch take_events();

  const conf::Config config_;
  support::Agenda agenda_;
  ManualClock real_clock_;
  embedded::ApiServer server_{agenda_};
  embedded::Kubelet kubelet_{agenda_, server_};
  InMemory environment_{*this};
  telemetry::Metrics metrics_;
  std::multimap<TimePoint, ClusterEvent> to_come_;  // by creation
  std::vector<ClusterEvent> seen_;                  // since the last session
  daemon::Core core_;
};

}  // namespace berth::parity
