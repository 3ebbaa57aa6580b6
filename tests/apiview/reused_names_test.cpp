// VIEW-14 and VIEW-17: random lives of pods whose names are used again, with berthd, its
// connections, its window, the API server's memory and kube-scheduler failing in between.
// kube-scheduler never ends itself, it gets each change once, and in the end it has what is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string_view>
#include <tuple>

#include "apiview/api_server.h"
#include "apiview/fakes.h"
#include "apiview/kube_scheduler.h"
#include "apiview/window_feed.h"
#include "podview/samples.h"
#include "proxy/query.h"

namespace berth::apiview {
namespace {

using podview::testing::Sample;
using testing::ApiServer;
using testing::Calls;
using testing::Client;
using testing::Events;
using testing::KubeScheduler;
using testing::Release;
using testing::WindowFeed;
using Stage = ports::Attempts::Stage;

class World {
 public:
  World(Release release, bool has_window, unsigned seed)
      : release_(release), has_window_(has_window), random_(seed) {
    start_berthd();
  }

  const std::string& end() const { return scheduler_.end(); }
  // Watches that upstream was not asked for, that have left it, and that the window has ended.
  struct Counts {
    int begun = 0, joined = 0, expired = 0;
  };
  const Counts& counts() const { return counts_; }

  void step() {
    const auto pick = random_() % 36;
    if (pick == 0) return restart_berthd();
    if (pick == 1) return break_connection();
    if (pick == 2) return void(server_.oldest = server_.version);
    if (pick == 3) return end_watch();
    if (pick == 4) return one_in(8) ? restart_scheduler() : void();
    if (pick <= 6) return plan();
    if (pick <= 8) return begin_binding();
    if (pick <= 10) return end_binding();
    if (pick <= 14) return create();
    if (pick <= 16) return bind_others();
    if (pick == 17) return server_.change(any_name());
    if (pick <= 19) return server_.remove(any_name());
    if (pick <= 22) return remake();
    if (pick <= 24) return server_.finish(any_name());
    if (pick == 25) return void(client_.is_slow = true);
    if (pick == 26) return feed_ && one_in(4) ? feed_->list() : void();
    exchange();
  }

  // Nothing fails any more.
  void settle() {
    while (!binding_.empty()) end_binding();
    calls_.stages.clear();
    has_faults_ = false;
    for (int i = 0; i < 12; ++i) {
      exchange();
      interceptor_->follow();
      read(true);
    }
    has_faults_ = true;
    std::map<std::string, std::string> expected, found, bound;
    for (const auto& [name, pod] : server_.pods) {
      const std::string what = pod.uid + " on " + pod.node;
      if (ApiServer::has_ended(pod)) continue;
      if (!pod.node.empty()) bound[pod.uid] = pod.node;
      if (!pod.node.empty() || pod.scheduler == "other") {
        expected[name] = what;
      } else if (const ports::ShownPod* as = shown_.load()->find(pod.uid)) {
        expected[name] = what + " for " + as->node;
      }
    }
    for (const auto& [name, pod] : scheduler_.store()) {
      found[name] =
          pod.uid + " on " + pod.node + (pod.affinity.empty() ? "" : " for ") + pod.affinity;
      EXPECT_GE(std::stoull(pod.version), std::stoull(server_.pods[name].version)) << name;
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(scheduler_.bound(), bound);
    EXPECT_EQ(scheduler_.complaints(), std::vector<std::string>());
  }

 private:
  std::string any_name() { return "p" + std::to_string(random_() % 6); }
  std::string any_node() { return "n" + std::to_string(random_() % 3); }
  int any_error() {
    constexpr int kErrors[] = {410, 429, 500, 504};
    return kErrors[random_() % 4];
  }
  bool one_in(unsigned n) { return random_() % n == 0; }

  // --- the cluster ----------------------------------------------------------------------------
  void create() {
    const std::string name = any_name();
    if (!server_.pods.contains(name)) make(name);
  }
  // Pods of others may be made with their node.
  void make(const std::string& name) {
    const std::string scheduler = one_in(2) ? "berth" : "other";
    server_.make(name, scheduler, one_in(3) ? any_node() : "");
  }
  void bind_others() {
    const auto pod = server_.pods.find(any_name());
    if (pod == server_.pods.end() || !pod->second.node.empty()) return;
    if (ApiServer::has_ended(pod->second)) return;
    if (pod->second.scheduler == "other") server_.bind(pod->second, any_node());
  }
  void remake() {
    const std::string name = any_name();
    server_.remove(name);
    make(name);
  }

  // --- berthd ---------------------------------------------------------------------------------
  void start_berthd() {
    PodInterceptor::Parts parts{{"berth"},
                                shown_,
                                calls_,
                                events_,
                                [](const std::string&) {},
                                [](const std::string& text) { FAIL() << text; }};
    if (has_window_) {
      parts.window = &feed_.emplace(server_, 2'000 + random_() % 8'000).window();
    }
    interceptor_.emplace(std::move(parts));
  }
  void watch_in_berthd() {
    if (feed_) feed_->watch([this] { return has_faults_ && one_in(3); });
  }
  void read_window() {
    if (!has_faults_ || one_in(2)) client_.is_slow = false;
    const bool had_left = client_.has_left;
    if (feed_ && feed_->take_news()) interceptor_->read_window();
    if (exchange_ && client_.has_left && !client_.is_slow && !client_.has_ended) {
      exchange_->on_room();
    }
    counts_.joined += client_.has_left && !had_left;
  }
  void restart_berthd() {
    close(false);
    interceptor_.reset();
    calls_.stages.clear();
    shown_.store(std::make_shared<const ports::ShownPods>());
    start_berthd();
  }
  void plan() {
    std::vector<ports::ShownPod> table;
    for (const auto& [name, pod] : server_.pods) {
      if (!pod.node.empty() || pod.scheduler != "berth" || one_in(3)) continue;
      if (ApiServer::has_ended(pod)) continue;
      const auto before = shown_.load();
      const ports::ShownPod* old = before->find(pod.uid);
      if (old != nullptr && one_in(2)) {
        table.push_back(*old);
      } else {
        table.push_back({pod.uid, "default", name, any_node(), false, ++attempt_});
      }
    }
    shown_.store(std::make_shared<const ports::ShownPods>(ports::ShownPods::of(std::move(table))));
    interceptor_->follow();
    read(false);
  }

  // --- kube-scheduler -------------------------------------------------------------------------
  void begin_binding() {
    for (const auto& [name, pod] : scheduler_.store()) {
      if (pod.is_bound() || pod.affinity.empty() || scheduler_.has_assumed(pod.uid)) continue;
      scheduler_.assume(pod);
      binding_.push_back({name, pod.uid, pod.affinity});
      calls_.stages[pod.uid] = Stage::binding;
      return;
    }
  }
  void end_binding() {
    if (binding_.empty()) return;
    const auto [name, uid, node] = binding_.front();
    binding_.erase(binding_.begin());
    const auto pod = server_.pods.find(name);
    const bool is_there = pod != server_.pods.end() && pod->second.uid == uid;
    const bool may_be_bound = is_there && !ApiServer::has_ended(pod->second);
    if (may_be_bound && pod->second.node.empty() && !one_in(3)) {
      server_.bind(pod->second, node);
    } else {
      scheduler_.forget(uid);
    }
    calls_.stages.erase(uid);
  }
  void restart_scheduler() {
    close(false);
    binding_.clear();
    calls_.stages.clear();
    scheduler_ = KubeScheduler(release_);
  }

  // --- requests -------------------------------------------------------------------------------
  void exchange() {
    if (one_in(2)) watch_in_berthd();
    if (one_in(2)) read_window();
    if (!exchange_) {
      open();
    } else if (one_in(3)) {
      send_changes();
    } else {
      read(false);
    }
    if (has_faults_) return;
    watch_in_berthd();
    read_window();
    if (exchange_) send_changes();
  }

  void open() {
    proxy::Request request{
        "GET",
        "/api/v1/pods?" + scheduler_.query() + "&fieldSelector=" + kRunning,
        {{"accept", "application/vnd.kubernetes.protobuf"}, {"user-agent", "kube-scheduler"}}};
    client_ = Client();
    read_ = 0;
    is_list_ = scheduler_.is_listing();
    exchange_ = interceptor_->intercept(request, client_);
    counts_.begun += client_.has_left;
    if (!client_.has_ended && !client_.has_left) answer(request);
    if (is_list_ || client_.has_ended) read(true);
  }

  // As the API server.
  void answer(const proxy::Request& request) {
    if (has_faults_ && one_in(8)) {
      exchange_->on_head(any_error(), {{"content-type", "application/json"}});
      return exchange_->on_end();
    }
    exchange_->on_head(200, {{"content-type", "application/vnd.kubernetes.protobuf"}});
    if (is_list_) return answer_list();
    const auto from = proxy::query_value(request.target, "resourceVersion").value_or("");
    if (proxy::is_set(request.target, "sendInitialEvents")) return begin_streaming_list();
    position_ = std::stoull(from);
    if (position_ >= server_.oldest) return;
    exchange_->on_body(podview::testing::error(410, "Expired"));
    exchange_->on_end();
  }
  void answer_list() {
    const std::vector<Sample> pods = server_.running();
    exchange_->on_body(podview::testing::list(std::to_string(server_.version), pods));
    exchange_->on_end();
  }
  void begin_streaming_list() {
    std::vector<Sample> pods = server_.running();
    std::shuffle(pods.begin(), pods.end(), random_);
    for (const Sample& pod : pods) {
      exchange_->on_body(podview::testing::event("ADDED", pod));
    }
    position_ = server_.version;
    if (has_faults_ && one_in(6)) {  // without its bookmark
      if (one_in(2)) exchange_->on_body(podview::testing::error(any_error(), ""));
      return exchange_->on_end();
    }
    exchange_->on_body(podview::testing::bookmark(std::to_string(server_.version), true));
  }
  void send_changes() {
    const auto is_over = [&] { return is_list_ || client_.has_ended || client_.has_left; };
    if (is_over()) return;
    for (const ApiServer::Change& change : server_.changes) {
      if (change.version <= position_) continue;
      if (has_faults_ && one_in(4)) return;
      position_ = change.version;
      if (change.selected.empty()) continue;
      exchange_->on_body(podview::testing::event(change.selected, change.pod));
      counts_.joined += client_.has_left;
      if (is_over()) return;
    }
    if (one_in(2)) {
      exchange_->on_body(podview::testing::bookmark(std::to_string(server_.version)));
    }
  }
  void end_watch() {
    if (exchange_ && !is_list_ && !client_.has_ended) exchange_->on_end();
  }

  // kube-scheduler takes what has come: whole events, and lists that are whole.
  void read(bool is_all) {
    if (!exchange_) return;
    if (client_.status != 200) {
      if (!client_.has_ended) return;
      scheduler_.take_status(client_.status);
      return close(true);
    }
    if (is_list_) {
      if (has_faults_ && one_in(8)) return break_connection();
      scheduler_.take_list(client_.text);
      return close(!has_faults_ || !one_in(8));
    }
    const std::string_view text(client_.text);
    for (const std::string_view frame : podview::testing::frames_of(text.substr(read_))) {
      if (!is_all && one_in(6)) break;
      read_ += frame.size();
      if (scheduler_.take_event(frame)) continue;
      counts_.expired += client_.has_left;
      end_watch();
      return close(!one_in(4));
    }
    if (client_.has_ended && read_ == client_.text.size()) close(true);
  }
  void break_connection() {
    if (exchange_ && !is_list_) read(false);
    close(false);
  }
  void close(bool is_delivered) {
    if (!exchange_) return;
    exchange_->on_closed(is_delivered && client_.has_ended);
    exchange_.reset();
    scheduler_.end_stream();
  }

  struct Bound {
    std::string name, uid, node;
  };

  static constexpr const char* kRunning = "status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed";

  const Release release_;
  const bool has_window_;
  std::mt19937 random_;
  ApiServer server_;
  ports::Published<ports::ShownPods> shown_{std::make_shared<const ports::ShownPods>()};
  Calls calls_;
  Events events_;
  std::optional<WindowFeed> feed_;
  std::optional<PodInterceptor> interceptor_;
  KubeScheduler scheduler_{release_};
  std::vector<Bound> binding_;  // bind calls that are open
  std::uint64_t attempt_ = 0;
  bool has_faults_ = true;
  Counts counts_;

  Client client_;
  std::unique_ptr<proxy::Exchange> exchange_;
  bool is_list_ = false;
  std::size_t read_ = 0;        // of the client's text
  std::uint64_t position_ = 0;  // of the API server's changes
};

class ReusedNamesTest : public ::testing::TestWithParam<std::tuple<Release, bool>> {};

INSTANTIATE_TEST_SUITE_P(Releases, ReusedNamesTest,
                         ::testing::Combine(::testing::Values(Release::to_1_32, Release::to_1_34,
                                                              Release::from_1_35),
                                            ::testing::Bool()));

TEST_P(ReusedNamesTest, VIEW14VIEW17KubeSchedulerNeverEndsItselfAndHasWhatIsThere) {
  const auto [release, has_window] = GetParam();
  World::Counts all;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(release, has_window, seed);
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 40; ++i) world.step();
      world.settle();
      ASSERT_EQ(world.end(), "") << "round " << round;
      if (::testing::Test::HasFailure()) return;
    }
    all.begun += world.counts().begun;
    all.joined += world.counts().joined;
    all.expired += world.counts().expired;
  }
  constexpr int kMany = 50;
  EXPECT_EQ(all.begun > kMany, has_window) << all.begun;
  EXPECT_EQ(all.joined > kMany, has_window) << all.joined;
  EXPECT_EQ(all.expired > kMany, has_window) << all.expired;
}

}  // namespace
}  // namespace berth::apiview
