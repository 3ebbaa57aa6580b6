#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "extender/barrier.h"
#include "extender/support.h"

// The law of the gang barrier under arrivals, retries, disconnects, time-outs, failing binds and
// changing plans in random order: a bind is requested only while the gang's minimum is present
// (held, under way or bound, by the test's own count). Every call is answered once, or its caller
// left.

namespace berth::extender {
namespace {

using std::chrono::milliseconds;

struct PodBook {
  std::string name;
  std::string node;
  std::string job;
  std::optional<CallId> held;  // a waiting call, by the test's count
  bool is_binding = false;
  bool is_bound = false;
  bool is_planned = true;
  bool is_seen = false;  // by the mirror: bound, and gone from the plan
};

class World : public ports::Binder {
 public:
  explicit World(std::uint64_t seed) : dice_(seed), plan_(nullptr) {
    const std::size_t gangs = 1 + dice_.below(4);
    for (std::size_t gang = 0; gang < gangs; ++gang) {
      const int size = 1 + static_cast<int>(dice_.below(8));
      const std::string job = "g" + std::to_string(gang);
      min_[job] = 1 + static_cast<int>(dice_.below(static_cast<std::size_t>(size)));
      for (int index = 0; index < size; ++index) {
        const std::string name = job + "-" + std::to_string(index);
        pods_[test::uid_of(name)] = {name, test::node_name(index), job, {}};
      }
    }
    publish();
    barrier_.emplace(BarrierLimits{}, plan_, moves_, *this, events_);
  }

  void bind(const ports::Binding& binding, std::function<void(ports::BindOutcome)> done) override {
    PodBook& pod = pods_.at(binding.uid);
    // Binds that are released together are requested one by one, while all their calls are open.
    EXPECT_GE(present(pod.job), min_.at(pod.job)) << binding.name << " was bound alone";
    EXPECT_EQ(binding.node, pod.node);
    EXPECT_FALSE(pod.is_binding || pod.is_bound) << binding.name << " was bound twice";
    pod.is_binding = true;
    outcomes_.emplace_back(binding.uid, std::move(done));
  }

  void run(int steps) {
    for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
      now_ += milliseconds(dice_.below(1500));
      switch (dice_.below(10)) {
        case 0:
          barrier_->expire(now_);
          break;
        case 1:
          leave();
          break;
        case 2:
          replan();
          break;
        case 3:
        case 4:
          finish();
          break;
        default:
          arrive();
          break;
      }
    }
    barrier_->shutdown();
    EXPECT_EQ(open_.size(), left_) << "calls without an answer";
  }

 private:
  int present(const std::string& job) const {
    int count = 0;
    for (const auto& [uid, pod] : pods_) {
      if (pod.job == job && (pod.held || pod.is_binding || pod.is_bound)) ++count;
    }
    return count;
  }
  PodBook& any_pod() {
    auto found = pods_.begin();
    std::advance(found, static_cast<std::ptrdiff_t>(dice_.below(pods_.size())));
    return found->second;
  }

  void arrive() {
    PodBook& pod = any_pod();
    const bool is_astray = dice_.below(20) == 0;
    const std::string node = is_astray ? "elsewhere" : pod.node;
    const std::uint64_t ticket = ++tickets_;
    open_.insert(ticket);
    if (!is_astray && pod.is_planned && !pod.is_binding && !pod.is_bound) pod.held = 0;
    if (!is_astray) waiting_[pod.name] = ticket;
    const CallId call =
        barrier_->arrive(test::binding_of(pod.name, node), now_,
                         [this, ticket, uid = test::uid_of(pod.name)](const std::string& error) {
                           EXPECT_EQ(open_.erase(ticket), 1u) << "answered twice";
                           PodBook& answered = pods_.at(uid);
                           if (waiting_[answered.name] == ticket && !answered.is_binding)
                             answered.held.reset();
                           if (error.empty()) {
                             EXPECT_TRUE(answered.is_bound);
                           }
                         });
    if (pod.held && open_.count(ticket) != 0) {
      pod.held = call;
      ticket_of_[call] = ticket;
    }
  }

  void leave() {
    PodBook& pod = any_pod();
    if (!pod.held || pod.is_binding) return;
    barrier_->leave(*pod.held);
    const std::uint64_t ticket = ticket_of_.at(*pod.held);
    if (open_.count(ticket) != 0) ++left_;
    pod.held.reset();
  }

  void finish() {
    if (outcomes_.empty()) return;
    const std::size_t which = dice_.below(outcomes_.size());
    auto [uid, done] = std::move(outcomes_[which]);
    outcomes_.erase(outcomes_.begin() + static_cast<std::ptrdiff_t>(which));
    PodBook& pod = pods_.at(uid);
    pod.is_binding = false;
    pod.held.reset();
    pod.is_bound = dice_.below(6) != 0;
    done({pod.is_bound, pod.is_bound ? "" : "conflict"});
  }

  // The mirror sees some binds, and a session moves, drops or plans some pods.
  void replan() {
    for (auto& [uid, pod] : pods_) {
      if (pod.is_bound) {
        if (dice_.below(2) == 0) pod.is_seen = true;
        continue;
      }
      if (pod.is_binding) continue;
      const std::string before = pod.node;
      const std::size_t chance = dice_.below(12);
      pod.is_planned = chance != 0;
      if (chance == 1) pod.node = test::node_name(static_cast<int>(dice_.below(50)) + 10);
      // Members without a plan are removed before the new plan releases others.
      if (!pod.is_planned || pod.node != before) pod.held.reset();
    }
    publish();
    barrier_->plan_changed();
  }

  void publish() {
    auto table = std::make_shared<ports::PlanTable>();
    table->ready = true;
    std::map<std::string, std::shared_ptr<ports::PlannedGang>> gangs;
    for (const auto& [job, min_member] : min_) {
      gangs[job] =
          std::make_shared<ports::PlannedGang>(ports::PlannedGang{"ns/" + job, min_member, 0});
    }
    for (const auto& [uid, pod] : pods_) {
      if (pod.is_seen) {
        ++gangs[pod.job]->bound;
      } else if (pod.is_planned || pod.is_binding || pod.is_bound) {
        table->pods[uid] = {"ns/" + pod.name, pod.node, gangs[pod.job], false};
      }
    }
    plan_.store(std::move(table));
  }

  test::Dice dice_;
  std::map<std::string, int> min_;
  std::map<std::string, PodBook> pods_;
  ports::Published<ports::PlanTable> plan_;
  test::RecordingEvents events_;
  std::vector<std::pair<std::string, std::function<void(ports::BindOutcome)>>> outcomes_;
  std::set<std::uint64_t> open_;  // tickets of calls that have no answer yet
  std::map<std::string, std::uint64_t> waiting_;
  std::map<CallId, std::uint64_t> ticket_of_;
  std::uint64_t tickets_ = 0;
  std::size_t left_ = 0;
  TimePoint now_ = TimePoint(std::chrono::hours(1));
  Moves moves_;
  std::optional<GangBarrier> barrier_;
};

TEST(BarrierLaw, AGangIsNeverPartlyBound) {
  const std::uint64_t first = 20261121;
  for (std::uint64_t seed = first; seed < first + 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    world.run(300);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace berth::extender
