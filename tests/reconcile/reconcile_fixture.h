#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "daemon/objects.h"
#include "mirror/mirror.h"
#include "reconcile/reconciler.h"
#include "support/recording_writer.h"

namespace berth::reconcile {

using daemon::add_gang;
using daemon::assume;
using daemon::make_group;
using daemon::make_member;
using daemon::make_node;
using daemon::refusal_of;
using daemon::running_on;
using support::RecordingWriter;

// One berthd's write side.
struct WriteSide {
  explicit WriteSide(RecordingWriter& writer)
      : writes({writer, [this](ports::WriteAnswer answer) { answers.push_back(std::move(answer)); },
                [&writer](const std::string& line) { writer.log(line); }, [this] { ++doubts; }}),
        announcer(observed, writes, [&writer](const std::string& line) { writer.log(line); }),
        reconciler(observed, writes, announcer) {}

  void observe(const ClusterEvent& event) {
    observed.observe(event);
    reconciler.observe(event);
  }
  void take_answers(TimePoint now) {
    for (const ports::WriteAnswer& answer : std::exchange(answers, {})) {
      if (const auto ended = writes.take(answer, now)) reconciler.take(*ended);
    }
  }
  void stop_leading() {
    writes.stop_leading();
    reconciler.stop_leading();
    announcer.stop_leading();
  }

  std::vector<ports::WriteAnswer> answers;
  int doubts = 0;  // of watches
  ObservedState observed{{"berth"}};
  Writes writes;
  Announcer announcer;
  Reconciler reconciler;
};

// A mirror and a write side that leads; a session is what the test says that it decided.
class ReconcileTest : public testing::Test {
 protected:
  ReconcileTest() { start(); }

  // Another process, which has seen nothing.
  void start() {
    side_ = std::make_unique<WriteSide>(writer_);
    side_->writes.start_leading(++epoch_);
  }
  void see(const ClusterEvent& event) {
    side_->observe(event);
    mirror_.apply(event);
  }
  void see_gang(const PodGroupObject& group, int members) {
    see(group);
    for (int i = 0; i < members; ++i) see(make_member(group.name, i));
  }
  // The writes of a session with this plan, as the session loop makes them.
  RecordingWriter::Written session(const Plan& plan = {}) {
    side_->take_answers(now_);
    mirror_.settle(now_);
    const Cluster& cluster = mirror_.cluster();
    const std::vector<JobId> changed = mirror_.take_changes();
    side_->announcer.announce_phases(mirror_.take_phase_changes(), cluster);
    side_->reconciler.look_at(changed);
    side_->reconciler.look_at(side_->announcer.announce(plan, cluster, now_));
    side_->reconciler.reconcile(cluster, queues_, now_);
    side_->take_answers(now_);
    return writer_.take();
  }
  RecordingWriter::Written session_after(Duration pause, const Plan& plan = {}) {
    now_ += pause;
    return session(plan);
  }

  TimePoint now_{std::chrono::hours(1)};
  std::uint64_t epoch_ = 0;
  mirror::Mirror mirror_;
  RecordingWriter writer_;
  std::unique_ptr<WriteSide> side_;
  std::shared_ptr<const views::QueueTable> queues_;
};

}  // namespace berth::reconcile
