#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "conf/config.h"
#include "conf/default_config.h"
#include "daemon/configuration.h"
#include "daemon/objects.h"
#include "daemon/session_ports.h"

namespace berth::daemon {
namespace {

using Written = support::RecordingWriter::Written;

constexpr const char* kNoDevice =
    "kube-scheduler: 0/2 nodes are available: 2 cannot allocate all claims. preemption: 0/2 nodes "
    "are available: 2 Preemption is not helpful for scheduling.";

// Gang g of two on n1 and n2, which have room for no more. kube-scheduler does not want it.
class SessionRefusalsTest : public SessionPorts {
 protected:
  bool is_hint_ = true;      // before start()
  std::string being_bound_;  // a pod; likewise
  steering::Mode mode_ = steering::Mode::view;

  ~SessionRefusalsTest() override { loop_->stop(); }

  void start() {
    auto config = conf::load_config(conf::default_config_text(), "default", known_names());
    SessionLoop::Parts parts = this->parts(clock_);
    parts.take_exchanges = [this] {
      const std::lock_guard lock(mutex_);
      return std::exchange(exchanges_, {});
    };
    parts.stage_of = [this](const std::string& pod) {
      using Stage = ports::Attempts::Stage;
      return pod == being_bound_ ? Stage::binding : Stage::none;
    };
    SessionLoop::Settings settings;
    settings.period = std::chrono::milliseconds(10);
    settings.steering = mode_;
    settings.retry_limit = std::chrono::hours(1);
    loop_ = std::make_unique<SessionLoop>(std::move(parts), settings,
                                          *engine::Scheduler::create(config->session));
    source_.set_synced();
    for (const char* node : {"n1", "n2"}) events_.post(make_node(node, 1));
    events_.post(make_group("g", 2));
    for (int i = 0; i < 2; ++i) events_.post(member("g", i));
    loop_->start();
    loop_->start_leading(1);
  }
  // Where g's pod is planned, which is being bound.
  std::string start_binding(const std::string& pod) {
    being_bound_ = pod;
    start();
    EXPECT_TRUE(wait_for_line("job ml/g planned: 2 pods"));
    return node_of(pod);
  }
  PodObject member(const std::string& group, int index) const {
    PodObject pod = make_member(group, index);
    if (is_hint_) pod.constraints.unmodelled = {"resourceClaims"};
    return pod;
  }
  bool wait_for_line(const std::string& part) {
    return ports_.wait([&](const Written& written) { return has(written.lines, part); });
  }
  static bool has(const std::vector<std::string>& lines, const std::string& part) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
  }
  // The condition of the group.
  bool wait_for_message(const std::string& begin) {
    return ports_.wait([&](const Written& written) {
      return std::any_of(written.statuses.begin(), written.statuses.end(), [&](const auto& each) {
        return each.object.name == "g" && each.message.starts_with(begin);
      });
    });
  }
  std::string node_of(const std::string& pod) const {
    const auto table = published_.load();
    const ports::PlannedPod* planned = table->find(pod);
    return planned == nullptr ? "" : planned->node;
  }
  // Has the pod lost its place, and the other, which is being bound, kept it?
  bool is_spared(const std::string& pod, const std::string& other, const std::string& node) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!node_of(pod).empty()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return node_of(other) == node;
  }
  void veto(const std::string& pod, const std::string& message) {
    events_.post(PlacementDropped{pod, node_of(pod), message, true});
  }

  void exchange(const ports::Exchange& exchange) {
    const std::lock_guard lock(mutex_);
    exchanges_.push_back(exchange);
  }
  // Waits for a plan with so many.
  bool wait_for_exchanges(std::uint64_t count) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (published_.load()->exchanges < count) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  std::mutex mutex_;
  std::vector<ports::Exchange> exchanges_;
  SystemClock clock_;
  std::unique_ptr<SessionLoop> loop_;
};

TEST_F(SessionRefusalsTest, STEER16AnExchangeIsTakenInAndIsNoRefusal) {
  is_hint_ = false;
  mode_ = steering::Mode::nominate;
  start();
  ASSERT_TRUE(wait_for_line("job ml/g planned: 2 pods"));
  const std::string first = node_of("g-0");
  const std::string second = node_of("g-1");
  ASSERT_NE(first, second);
  exchange({"g-0", first, "g-1", second});
  ASSERT_TRUE(wait_for_exchanges(1));
  EXPECT_EQ(node_of("g-0"), second);
  EXPECT_EQ(node_of("g-1"), first);
  exchange({"g-0", first, "g-1", second});
  ASSERT_TRUE(wait_for_exchanges(2)) << "it counts, though the plan is another one";
  EXPECT_EQ(node_of("g-0"), second);
  veto("g-0", "kube-scheduler: 0/2 nodes are available: 2 no.");
  EXPECT_TRUE(wait_for_line("job ml/g gives back"));
  EXPECT_NE(metrics_.expose({}).find("berth_failed_attempts_total 1"), std::string::npos);
}

TEST_F(SessionRefusalsTest, HINT3ARefusedHintGivesAllPlacesBackAndSaysWhy) {
  start();
  ASSERT_TRUE(wait_for_line("job ml/g planned: 2 pods"));
  veto("g-0", kNoDevice);
  EXPECT_TRUE(wait_for_line("job ml/g gives back 1 places, and waits"));
  EXPECT_TRUE(
      wait_for_message("kube-scheduler refused its last plan: 2 cannot allocate all claims ("));
  EXPECT_EQ(node_of("g-0"), "");
  EXPECT_EQ(node_of("g-1"), "");
  EXPECT_NE(metrics_.expose({}).find("berth_failed_attempts_total 1"), std::string::npos);
}

// Its Binding may succeed, and the watch may show that late.
TEST_F(SessionRefusalsTest, HINT3APodThatIsBeingBoundKeepsItsPlace) {
  const std::string node = start_binding("g-1");
  veto("g-0", kNoDevice);
  EXPECT_TRUE(wait_for_line("job ml/g gives back 0 places, and waits"));
  EXPECT_TRUE(is_spared("g-0", "g-1", node));
}

TEST_F(SessionRefusalsTest, STEER15APodThatIsBeingBoundKeepsItsPlace) {
  is_hint_ = false;
  const std::string node = start_binding("g-1");
  for (const char* name : {"n1", "n2"}) {
    NodeObject cordoned = make_node(name, 1);
    cordoned.unschedulable = true;
    events_.post(cordoned);
  }
  EXPECT_TRUE(wait_for_line("pod g-0 loses its place"));
  EXPECT_TRUE(is_spared("g-0", "g-1", node));
}

// kube-scheduler had given the call up whose refusal comes now.
TEST_F(SessionRefusalsTest, STEER15ARefusalOfAPodThatIsBeingBoundDoesNotCount) {
  const std::string node = start_binding("g-1");
  veto("g-1", kNoDevice);
  veto("g-0", kNoDevice);
  EXPECT_TRUE(wait_for_line("job ml/g gives back 0 places, and waits"));
  EXPECT_TRUE(is_spared("g-0", "g-1", node));
}

TEST_F(SessionRefusalsTest, HINT3ItsRoomIsForOthersAtOnce) {
  start();
  ASSERT_TRUE(wait_for_line("job ml/g planned: 2 pods"));
  events_.post(make_group("other", 2));
  for (int i = 0; i < 2; ++i) events_.post(make_member("other", i));
  ASSERT_TRUE(wait_for_line("job ml/other waits: "));
  veto("g-1", kNoDevice);
  EXPECT_TRUE(wait_for_line("job ml/other planned: 2 pods"));
}

TEST_F(SessionRefusalsTest, HINT7AVetoOfAnotherPodWithoutAnotherPlaceEndsTheAttempt) {
  is_hint_ = false;
  start();
  ASSERT_TRUE(wait_for_line("job ml/g planned: 2 pods"));
  veto("g-0",
       "kube-scheduler: 0/2 nodes are available: 1 node(s) had no volume, 1 node(s) didn't "
       "match Pod's node affinity/selector.");
  EXPECT_TRUE(wait_for_message("kube-scheduler refused its last plan: 1 node(s) had no volume ("));
  EXPECT_TRUE(wait_for_line("job ml/g gives back 1 places"));
}

TEST_F(SessionRefusalsTest, HINT3AGangThatIsLateWaitsAndSaysSo) {
  start();
  ASSERT_TRUE(wait_for_line("job ml/g planned: 2 pods"));
  events_.post(PlacementDropped{"g-0", node_of("g-0"), "1 of 2 members arrived", false, true});
  EXPECT_TRUE(wait_for_message("kube-scheduler refused its last plan: 1 of 2 members arrived ("));
  EXPECT_TRUE(wait_for_line("job ml/g gives back 1 places"));
  // Nobody has refused its places, so they may be the same.
  EXPECT_TRUE(ports_.wait([](const Written& written) {
    return std::count(written.lines.begin(), written.lines.end(),
                      "job ml/g planned: 2 pods on n1 (1) n2 (1)") == 2;
  }));
}

TEST_F(SessionRefusalsTest, HINT6OfAGangThatIsLateTheWordsOfAConditionCount) {
  mode_ = steering::Mode::nominate;
  start();
  ASSERT_TRUE(wait_for_line("job ml/g planned: 2 pods"));
  PodObject refused = member("g", 1);
  refused.unschedulable = "0/2 nodes are available: 2 cannot allocate all claims.";
  events_.post(refused);
  events_.post(PlacementDropped{"g-0", node_of("g-0"), "1 of 2 members arrived", false, true});
  EXPECT_TRUE(
      wait_for_message("kube-scheduler refused its last plan: 2 cannot allocate all claims ("));
}

TEST_F(SessionRefusalsTest, HINT4ItIsTriedWhenANodeCame) {
  start();
  ASSERT_TRUE(wait_for_line("job ml/g planned: 2 pods"));
  veto("g-0", kNoDevice);
  ASSERT_TRUE(wait_for_line("job ml/g gives back 1 places"));
  events_.post(make_node("n3", 1));
  EXPECT_TRUE(ports_.wait([](const Written& written) {
    return has(written.lines, "job ml/g planned: 2 pods on n1 (1) n3 (1)") ||
           has(written.lines, "job ml/g planned: 2 pods on n2 (1) n3 (1)");
  }));
}

}  // namespace
}  // namespace berth::daemon
