#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "daemon/fake_source.h"
#include "daemon/session_loop.h"
#include "support/recording_writer.h"

namespace berth::daemon {

// The ports of a session loop. The test class declares its loop, so the loop ends first.
class SessionPorts : public testing::Test {
 protected:
  SessionLoop::Parts parts(
      const Clock& clock, const std::function<void()>& on_published = [] {}) {
    const auto log = [this](const std::string& line) { ports_.log(line); };
    return {clock,        source_, events_,  published_, on_published, shown_,
            on_published, ports_,  metrics_, log,        queues_,      reservations_};
  }

  FakeSource source_;
  EventQueue events_;
  ports::Published<ports::PlanTable> published_{std::make_shared<const ports::PlanTable>()};
  ports::Published<ports::ShownPods> shown_{std::make_shared<const ports::ShownPods>()};
  ports::Published<views::QueueTable> queues_{nullptr};
  ports::Published<views::ReservationTable> reservations_{nullptr};
  support::RecordingWriter ports_;
  telemetry::Metrics metrics_;
};

}  // namespace berth::daemon
