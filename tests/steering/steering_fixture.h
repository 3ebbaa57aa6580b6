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
using WriteResult = ports::WriteOutcome::Result;
using Texts = std::vector<std::string>;

// Keeps what is written; the test answers it, or lets it be answered at once.
class Api final : public ports::ObjectWriter {
 public:
  struct Sent {
    ports::Write write;
    ports::PodWrite content;
    std::function<void(ports::WriteOutcome)> done;
  };

  void write(const ports::Write& write, std::function<void(ports::WriteOutcome)> done) override {
    writes.push_back({write, std::get<ports::PodWrite>(write.content), std::move(done)});
    if (answers_at_once) writes.back().done(outcome);
  }

  // "nominate g-0 on n1", of what came since the last call.
  Texts take() {
    Texts texts;
    for (const Sent& each : writes) {
      const char* const verbs[] = {"nominate ", "commit ", "touch ", "tolerate "};
      const auto& [kind, node, wakes, locked_for, is_first] = each.content;
      texts.push_back(verbs[static_cast<std::size_t>(kind)] + each.write.object.uid +
                      (node.empty() ? "" : " on " + node) + (wakes ? ", by a label" : ""));
    }
    writes.clear();
    std::sort(texts.begin(), texts.end());
    return texts;
  }

  bool answers_at_once = true;
  ports::WriteOutcome outcome;
  std::vector<Sent> writes;
};

class SteeringTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* node : {"n1", "n2"}) post(make_node(node, 4));
  }
  void post(const ClusterEvent& event) {
    observed_.observe(event);
    current_->observe(event);
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
  void start_leading(std::uint64_t epoch = 1) {
    writes_.start_leading(epoch);
    current_->start_leading();
  }
  // A round; what it drops is dropped, as the session loop does.
  std::vector<PlacementDropped> round() {
    take_answers();
    auto drops = current_->steer(mirror_.cluster(), find_, now_);
    for (const PlacementDropped& drop : drops) post(drop);
    return drops;
  }
  std::vector<PlacementDropped> follow_up() {
    take_answers();
    return current_->follow_up(mirror_.cluster(), find_, now_);
  }
  void take_answers() {
    for (const ports::WriteAnswer& answer : std::exchange(answers_, {})) {
      if (const auto ended = writes_.take(answer, now_)) current_->take(*ended, now_);
    }
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
  FindTask find_ = [this](const std::string& uid) { return mirror_.find_task(uid); };
  Texts logged_;
  std::vector<ports::WriteAnswer> answers_;
  reconcile::ObservedState observed_{{"berth"}};
  reconcile::Writes writes_{
      {api_, [this](ports::WriteAnswer answer) { answers_.push_back(std::move(answer)); },
       [this](const std::string& line) { logged_.push_back(line); }}};
  Steering steering_{observed_, writes_, {}};
  Steering* current_ = &steering_;  // of which the rounds are
};

}  // namespace berth::steering
