#include "extender/service.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <future>
#include <string>
#include <vector>

#include "extender/server.h"
#include "support/jumping_clock.h"

namespace berth::extender {
namespace {

using test::bind_body;
using test::eventually;
using test::filter_body;
using test::node_name;
using test::PlanBuilder;
using test::pod_json;
using test::uid_of;

class ServiceTest : public test::ServerTest {};

// A bind call whose answer the test reads when it likes, or never: no thread waits for it.
class RawCall {
 public:
  RawCall(std::uint16_t port, const std::string& body)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const std::string request =
        "POST /commit/bind HTTP/1.1\r\nHost: x\r\nContent-Type: "
        "application/json\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body;
    const auto* target = reinterpret_cast<const sockaddr*>(&address);
    is_sent_ = socket_ >= 0 && ::connect(socket_, target, sizeof address) == 0 &&
               ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) ==
                   static_cast<ssize_t>(request.size());
  }
  RawCall(RawCall&& other) noexcept : socket_(other.socket_), is_sent_(other.is_sent_) {
    other.socket_ = -1;
  }
  ~RawCall() { hang_up(); }

  bool is_sent() const { return is_sent_; }
  void hang_up() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  // The first answer, in one piece, since the server writes each answer at once.
  std::string answer() {
    std::string text(1024, '\0');
    const ssize_t count = ::recv(socket_, text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  }

 private:
  int socket_;
  bool is_sent_ = false;
};

TEST_F(ServiceTest, FilterAnswersThePlannedNodeInGoNamesWithALength) {
  publish(PlanBuilder().pod("p", node_name(2)));
  const auto reply = post("/plan/filter", filter_body(pod_json("p", "berth"), test::node_names(5)));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, R"({"Nodes":null,"NodeNames":[")" + node_name(2) +
                            R"("],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})");
  EXPECT_EQ(reply.header("content-length"), std::to_string(reply.body.size()));
  EXPECT_EQ(reply.header("content-type"), "application/json");
  EXPECT_EQ(service_.count(Verb::filter, Outcome::planned), 1u);
}

TEST_F(ServiceTest, FilterEchoesWholeNodes) {
  const auto reply =
      post("/plan/filter", test::full_nodes_body(pod_json("p", "default-scheduler"), {"n1", "n2"}));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body.find(R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"n1",)"), 0u);
  EXPECT_NE(reply.body.find(R"("NodeNames":null)"), std::string::npos);
}

TEST_F(ServiceTest, BARRIER8AFilterCallWithoutThePlannedNodeLeavesTheChoice) {
  publish(PlanBuilder().pod("p", node_name(9), true));
  post("/plan/filter", filter_body(pod_json("p", "berth"), {node_name(2), node_name(9)}));
  EXPECT_FALSE(moves_.has_choice(uid_of("p"), node_name(9)));
  post("/plan/filter", filter_body(pod_json("p", "berth"), {node_name(2)}));
  EXPECT_TRUE(moves_.has_choice(uid_of("p"), node_name(9)));
  EXPECT_FALSE(moves_.has_choice(uid_of("p"), node_name(2)));
  moves_.follow(*PlanBuilder().pod("p", node_name(7), true).build());
  EXPECT_FALSE(moves_.has_choice(uid_of("p"), node_name(9)));
}

// Whole nodes are reported in the middle of a call, before its plan is read.
struct AtFullNodes final : CallObserver {
  void on_call(Verb, Outcome, Duration) override {}
  void on_full_nodes() override { act(); }
  std::function<void()> act;
};

TEST_F(ServiceTest, VIEW5AnAttemptIsOpenBeforeThePlanIsRead) {
  using Stage = ports::Attempts::Stage;
  AtFullNodes observer;
  Service service(plan_, barrier_, events_, clock_, moves_, attempts_, &observer);
  http::Router router;
  service.add_routes(router);
  const auto server = http::make_http_server({}, router.handler());
  ASSERT_TRUE(server->start());
  http::ClientOptions options;
  options.url = "http://127.0.0.1:" + std::to_string(server->port());
  const auto client = http::HttpClient::create(options);
  ASSERT_TRUE(client);
  const std::string body = test::full_nodes_body(pod_json("p", "berth"), {node_name(2)});
  Stage during = Stage::none;

  publish(PlanBuilder());
  observer.act = [&] {
    during = attempts_.of("uid-p");
    publish(PlanBuilder().pod("p", node_name(2)));
  };
  ASSERT_TRUE((*client)->post("/plan/filter", body));
  EXPECT_EQ(during, Stage::open);
  EXPECT_EQ(service.count(Verb::filter, Outcome::planned), 1u);
  EXPECT_EQ(attempts_.of("uid-p"), Stage::open);

  observer.act = [&] { publish(PlanBuilder()); };
  ASSERT_TRUE((*client)->post("/plan/filter", body));
  EXPECT_EQ(service.count(Verb::filter, Outcome::unplanned), 1u);
  EXPECT_EQ(attempts_.of("uid-p"), Stage::none) << "a refused call ends it";
  EXPECT_TRUE(server->stop(std::chrono::seconds(60)));
}

TEST_F(ServiceTest, AVetoIsPosted) {
  PlanBuilder plan = PlanBuilder().pod("p", "gone");
  for (int i = 0; i < 5; ++i) plan.room(node_name(i), {});  // or it would be moved
  publish(plan);
  post("/plan/filter", filter_body(pod_json("p", "berth", "gone"), test::node_names(5)));
  ASSERT_EQ(events_.dropped().size(), 1u);
  EXPECT_EQ(events_.dropped()[0].pod_uid, "uid-p");
  EXPECT_EQ(events_.dropped()[0].node, "gone");
}

TEST_F(ServiceTest, PrioritizeAndPreemptAnswerTheirForms) {
  publish(PlanBuilder().pod("p", node_name(1)).gang("train", 2, 2));
  const auto scores =
      post("/plan/prioritize", filter_body(pod_json("p", "berth"), test::node_names(2)));
  EXPECT_EQ(scores.body, R"([{"Host":")" + node_name(0) + R"(","Score":0},{"Host":")" +
                             node_name(1) + R"(","Score":10}])");
  EXPECT_EQ(post("/guard/preempt", test::testdata("preempt_meta.json")).body,
            R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"uid-low-0"},{"UID":"uid-low-1"}],)"
            R"("NumPDBViolations":1},"n3":{"Pods":[],"NumPDBViolations":0}}})");
  EXPECT_EQ(post("/guard/preempt", test::testdata("preempt_victims.json")).body,
            R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"uid-low-0"}],)"
            R"("NumPDBViolations":1}}})");
}

TEST_F(ServiceTest, EveryVerbIs503AtOnceWhileThePlanIsNotReady) {
  publish(PlanBuilder(false));
  const std::string filter = filter_body(pod_json("p", "berth"), {"n1"});
  EXPECT_EQ(post("/plan/filter", filter).status, 503);
  EXPECT_EQ(post("/plan/prioritize", filter).status, 503);
  EXPECT_EQ(post("/guard/preempt", test::testdata("preempt_meta.json")).status, 503);
  EXPECT_EQ(post("/commit/bind", bind_body("p", "n1")).status, 503);
  EXPECT_EQ(service_.count(Verb::bind, Outcome::not_ready), 1u);
}

// A call that follows at once may come before the client has taken the connection back.
TEST_F(ServiceTest, AHundredCallsTakeAFewConnections) {
  publish(PlanBuilder().pod("p", node_name(2)).gang("g", 50, 1));
  const std::string body = filter_body(pod_json("p", "berth"), test::node_names(500));
  for (int call = 0; call < 50; ++call) {
    const std::string pod = "g-" + std::to_string(call);
    EXPECT_EQ(post("/plan/filter", body).status, 200);
    EXPECT_EQ(post("/commit/bind", bind_body(pod, node_name(call))).body, R"({"Error":""})");
  }
  EXPECT_LE(server_->counts().connections_accepted, 10u);
}

TEST_F(ServiceTest, AnUnplannedBindIsAnsweredWithAnErrorInA200) {
  const auto reply = post("/commit/bind", bind_body("p", "n1"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, R"({"Error":"pod \"ns/p\" is not planned"})");
  EXPECT_EQ(service_.count(Verb::bind, Outcome::refused), 1u);
}

TEST_F(ServiceTest, AGangOfEightIsHeldAtSevenAndBoundAtEight) {
  publish(PlanBuilder().gang("g", 8, 8));
  std::vector<std::future<std::string>> calls;
  const auto call = [&](int index) {
    calls.push_back(std::async(std::launch::async, [this, index] {
      return post("/commit/bind", bind_body("g-" + std::to_string(index), node_name(index))).body;
    }));
  };
  for (int index = 0; index < 7; ++index) call(index);
  ASSERT_TRUE(eventually([&] { return barrier_.held() == 7; }));
  EXPECT_EQ(binder_.count(), 0u);
  call(7);
  for (auto& each : calls) EXPECT_EQ(each.get(), R"({"Error":""})");
  EXPECT_EQ(binder_.count(), 8u);
  EXPECT_EQ(service_.count(Verb::bind, Outcome::bound), 8u);
}

TEST_F(ServiceTest, ABrokenConnectionIsAMemberLess) {
  publish(PlanBuilder().gang("g", 3, 3));
  RawCall first(server_->port(), bind_body("g-0", node_name(0)));
  RawCall second(server_->port(), bind_body("g-1", node_name(1)));
  ASSERT_TRUE(eventually([&] { return barrier_.held() == 2; }));
  first.hang_up();
  ASSERT_TRUE(eventually([&] { return barrier_.held() == 1; }));
  RawCall third(server_->port(), bind_body("g-2", node_name(2)));
  ASSERT_TRUE(eventually([&] { return barrier_.held() == 2; }));
  EXPECT_EQ(binder_.count(), 0u);
  EXPECT_TRUE(events_.dropped().empty());
  EXPECT_EQ(service_.count(Verb::bind, Outcome::abandoned), 1u);
  RawCall again(server_->port(), bind_body("g-0", node_name(0)));
  EXPECT_NE(again.answer().find(R"({"Error":""})"), std::string::npos);
  EXPECT_EQ(binder_.count(), 3u);
}

TEST_F(ServiceTest, FilterAnswersWhileTwoThousandBindsAreHeld) {
  constexpr int kHeld = 2000;
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = files.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  publish(PlanBuilder().gang("g", kHeld + 1, kHeld + 1));
  std::vector<RawCall> calls;
  for (int index = 0; index < kHeld; ++index) {
    calls.emplace_back(server_->port(), bind_body("g-" + std::to_string(index), node_name(index)));
    ASSERT_TRUE(calls.back().is_sent()) << index;
  }
  ASSERT_TRUE(eventually([&] { return barrier_.held() == kHeld; }));
  const std::string body = filter_body(pod_json("g-7", "berth"), test::node_names(5000));
  for (int call = 0; call < 50; ++call) EXPECT_EQ(post("/plan/filter", body).status, 200);
  EXPECT_LE(server_->counts().connections_accepted, kHeld + 10u);
  EXPECT_EQ(binder_.count(), 0u);
  calls.emplace_back(server_->port(), bind_body("g-2000", node_name(kHeld)));
  for (RawCall& call : calls) {
    EXPECT_NE(call.answer().find(R"({"Error":""})"), std::string::npos);
  }
}

TEST_F(ServiceTest, ShuttingDownAnswersEveryHeldCallAtOnce) {
  publish(PlanBuilder().gang("g", 3, 3));
  RawCall first(server_->port(), bind_body("g-0", node_name(0)));
  RawCall second(server_->port(), bind_body("g-1", node_name(1)));
  ASSERT_TRUE(eventually([&] { return barrier_.held() == 2; }));
  barrier_.shutdown();
  EXPECT_NE(first.answer().find(R"({"Error":"berthd is shutting down"})"), std::string::npos);
  EXPECT_NE(second.answer().find(R"({"Error":"berthd is shutting down"})"), std::string::npos);
}

// Its plan is still the published one.
TEST_F(ServiceTest, LEASE5NothingIsAnsweredFromAPlanWhoseTermIsOver) {
  support::JumpingClock lease_clock;
  ports::Leadership leadership(lease_clock);
  leadership.begin(3, lease_clock.now() + std::chrono::seconds(6));
  publish(PlanBuilder().gang("g", 2, 2).under(leadership, 3));
  const std::string filter = filter_body(pod_json("g-0", "berth"), test::node_names(5));
  const std::string bind = bind_body("g-1", node_name(1));
  EXPECT_EQ(post("/plan/filter", filter).status, 200);
  RawCall held(server_->port(), bind_body("g-0", node_name(0)));
  ASSERT_TRUE(eventually([&] { return barrier_.held() == 1; }));
  lease_clock.advance(std::chrono::seconds(6));
  for (const char* path : {"/plan/filter", "/plan/prioritize"}) {
    EXPECT_EQ(post(path, filter).status, 503) << path;
  }
  EXPECT_EQ(post("/guard/preempt", "{}").status, 503);
  EXPECT_EQ(post("/commit/bind", bind).status, 503) << "it would complete the gang";
  EXPECT_EQ(binder_.count(), 0U);
}

}  // namespace
}  // namespace berth::extender
