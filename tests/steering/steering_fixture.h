#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/objects.h"
#include "steering/steering.h"

namespace berth::steering {

using daemon::make_group;
using daemon::make_member;
using daemon::make_node;
using Kind = ports::PodWrite::Kind;
using Result = ports::WriteOutcome::Result;
using Texts = std::vector<std::string>;

// Keeps what is written; the test answers it, or lets it be answered at once.
class Api final : public ports::PodWriter, public ports::StatusSink {
 public:
  struct Write {
    ports::PodWrite write;
    std::function<void(ports::WriteOutcome)> done;
  };

  void write(const ports::PodWrite& write, std::function<void(ports::WriteOutcome)> done) override {
    writes.push_back({write, std::move(done)});
    if (answers_at_once) writes.back().done(outcome);
  }
  void record(const ports::GangRecord& record,
              std::function<void(ports::WriteOutcome)> done) override {
    records.push_back(record.name);
    done(outcome);
  }
  void write(const ports::GroupStatus&) override {}
  void write(const ports::QueueStatus&) override {}
  void write(const ports::NodeLock&) override {}
  void write(const ports::JobMarks&) override {}
  void tell(const ports::Event&) override {}

  // "nominate g-0 on n1", of what came since the last call.
  Texts take() {
    Texts texts;
    for (const Write& each : writes) {
      const char* const verbs[] = {"nominate ", "commit ", "touch ", "tolerate "};
      texts.push_back(verbs[static_cast<std::size_t>(each.write.kind)] + each.write.uid +
                      (each.write.node.empty() ? "" : " on " + each.write.node));
    }
    writes.clear();
    std::sort(texts.begin(), texts.end());
    return texts;
  }

  bool answers_at_once = true;
  ports::WriteOutcome outcome;
  std::vector<Write> writes;
  Texts records;
};

class SteeringTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* node : {"n1", "n2"}) post(make_node(node, 4));
  }
  void post(const ClusterEvent& event) {
    steering_.observe(event);
    mirror_.apply(event);
    mirror_.settle(TimePoint());
  }
  static PodObject member(int index, bool gated = true) {
    PodObject pod = make_member("g", index);
    if (gated) pod.gates = {"berth.dev/plan"};
    return pod;
  }
  void post_gang(int min_member, int members, bool gated = true) {
    post(make_group("g", min_member));
    for (int i = 0; i < members; ++i) post(member(i, gated));
  }
  // A gang of two, of which g-1 runs: g-0 alone is to come.
  void post_last_of_two(bool gated = true) {
    post(make_group("g", 2));
    post(daemon::running_on(member(1, false), "n2"));
    post(member(0, gated));
  }
  Plan start_leading(std::uint64_t epoch = 1) {
    Plan plan = steering_.start_leading(epoch, mirror_.cluster(), find_);
    mirror_.assume(plan, TimePoint());
    mirror_.settle(TimePoint());
    return plan;
  }
  // A round; what it drops is dropped, as the session loop does.
  std::vector<PlacementDropped> round() {
    auto drops = steering_.round(mirror_.cluster(), find_, now_);
    for (const PlacementDropped& drop : drops) post(drop);
    return drops;
  }
  std::vector<PlacementDropped> follow_up() {
    return steering_.follow_up(mirror_.cluster(), find_, now_);
  }
  // As many rounds as it takes until nothing more is written.
  Texts rounds() {
    Texts all;
    for (int i = 0; i < 10; ++i) {
      round();
      const Texts some = api_.take();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  void plan(const std::vector<daemon::PodOnNode>& binds) { daemon::assume(mirror_, binds); }

  mirror::Mirror mirror_;
  Api api_;
  TimePoint now_{std::chrono::hours(1)};
  int woken_ = 0;
  Texts told_;
  FindTask find_ = [this](const std::string& uid) { return mirror_.find_task(uid); };
  Steering steering_{{api_, api_, [this] { ++woken_; },
                      [this](const std::string& line) { told_.push_back(line); }},
                     {}};
};

}  // namespace berth::steering
