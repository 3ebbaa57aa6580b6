#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/model/event.h"
#include "daemon/fake_source.h"
#include "daemon/session_loop.h"
#include "support/recording_writer.h"

namespace berth::hostile {

// The object as a watch hands it on: only the keys that are kept, decoded.
ClusterEvent decoded(const std::string& json);

// A session loop over a cluster of so many nodes, on each of which a pod of another team runs.
class BerthLoop {
 public:
  explicit BerthLoop(int nodes);
  ~BerthLoop();

  void post(const std::string& json) { events_.post(decoded(json)); }
  void post(const ClusterEvent& event) { events_.post(event); }
  // Until all that was posted has been taken in and two sessions have followed.
  void settle();
  // A gang of three in the other team's namespace is planned, and goes.
  bool plans_another_gang();
  // All that was written and logged since the last call.
  support::RecordingWriter::Written take_writes() { return writer_.take(); }

 private:
  SystemClock clock_;
  daemon::FakeSource source_;
  daemon::EventQueue events_{std::size_t{1} << 20};  // this thread takes, too
  ports::Published<ports::PlanTable> published_{std::make_shared<const ports::PlanTable>()};
  ports::Published<ports::ShownPods> shown_{std::make_shared<const ports::ShownPods>()};
  ports::Published<views::QueueTable> queues_{nullptr};
  ports::Published<views::ReservationTable> reservations_{nullptr};
  support::RecordingWriter writer_;
  telemetry::Metrics metrics_;
  std::unique_ptr<daemon::SessionLoop> loop_;
  int gangs_ = 0;
};

}  // namespace berth::hostile
