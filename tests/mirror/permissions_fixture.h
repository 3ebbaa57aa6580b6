#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "mirror/mirror.h"

namespace berth::mirror {

using Questions = std::vector<RightQuestion>;

// A gang "ml/g" of queue "vision", with one pod.
class MirrorPermissionsTest : public testing::Test {
 protected:
  void begin(NamingCheck check) { begin(Options{.naming_check = check}); }
  void begin(Options options) {
    mirror_ = std::make_unique<Mirror>(std::move(options));
    see(bare_queue("vision"));
    group_.name_space = "ml";
    group_.name = "g";
    group_.uid = "u-1";
    group_.queue = "vision";
    group_.created = now_;
    pod_.name_space = "ml";
    pod_.name = pod_.uid = "g-0";
    pod_.group = "g";
    pod_.scheduler_name = "berth";
    pod_.created = now_;
    pod_.service_account = "trainer";
    see(group_);
    see(pod_);
    settle();
  }
  template <class Event>
  void see(const Event& event) {
    mirror_->apply(event);
  }
  void settle() { mirror_->settle(now_); }
  void settle_after(Duration time) {
    now_ += time;
    settle();
  }
  void name_on_group() {
    group_.marks.is_named = true;
    see(group_);
    settle();
  }
  void name_on_pod() {
    pod_.marks.is_named = true;
    see(pod_);
    settle();
  }
  void answer(bool is_allowed, const std::string& error = {}) {
    see(RightAnswer{asked_, is_allowed, error});
    settle();
  }
  // Pods in no group, each under an account of its own.
  void see_singles(const std::string& name_space, int count) {
    for (int i = 0; i < count; ++i) {
      PodObject pod = pod_;
      pod.name_space = name_space;
      pod.name = pod.uid = name_space + "-" + std::to_string(i);
      pod.group.clear();
      pod.queue = "vision";
      pod.service_account = "a" + std::to_string(i);
      pod.marks.is_named = true;
      see(pod);
    }
  }
  static OwnerObject owner(const std::string& kind, const std::string& uid, TimePoint created) {
    OwnerObject object;
    object.uid = uid;
    object.name_space = "ml";
    object.self = {"batch/v1", kind, uid, uid};
    object.created = created;
    return object;
  }
  Questions asked() { return mirror_->take_right_questions(now_); }
  const Job& job() const { return mirror_->cluster().job(mirror_->find_group("ml/g")); }
  void elect(bool is_named) {
    Plan plan;
    plan.reservations.emplace_back().job = job().id;
    plan.reservations[0].election = {now_, "its user names it", is_named};
    mirror_->assume_reservations(plan, now_);
    settle();
  }

  TimePoint now_{std::chrono::hours(1000)};
  std::unique_ptr<Mirror> mirror_;
  PodGroupObject group_;
  PodObject pod_;
  const RightQuestion asked_{"ml", "trainer", "vision"};
};

}  // namespace berth::mirror
