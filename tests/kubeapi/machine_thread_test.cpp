#include "kubeapi/machine_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "kubeapi/fake_api.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/follower.h"
#include "kubeapi/reflector.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;
using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::kThings;
using testing::Reply;

// A reflector on its thread, before a server.
class MachineThreadTest : public ::testing::Test {
 protected:
  MachineThreadTest() {
    api_.serve(kThings);
    api_.put(kThings, "t1");
    serve(0);
  }
  ~MachineThreadTest() override {
    thread_.reset();
    if (client_) client_->stop();
  }

  void serve(unsigned short port) {
    server_ = std::make_unique<FakeServer>(
        [this](const Call& call, Reply& reply) { api_.handle(call, reply); },
        testing::Certificate{}, port);
  }
  void start(Duration pause = 1ms) {
    Access access;
    access.server = server_->url();
    client_ = std::move(*RestClient::create(access));
    ReflectorOptions options;
    options.retry_least = pause;
    options.retry_most = pause * 20;
    options.streaming_list = false;
    ReflectedKind kind;
    kind.name = "things";
    kind.path = kThings;
    kind.by_uid = true;
    kind.changed = [this](const document::Value& object, auto&) -> Status {
      seen_.change([&](auto& all) {
        all[object.text_at({"metadata", "uid"})] = object.text_at({"metadata", "resourceVersion"});
      });
      return Done{};
    };
    kind.gone = [this](const std::string& id) { seen_.change([&](auto& all) { all.erase(id); }); };
    reflector_ = std::make_unique<Reflector>(clock_, client_->server(), kind, options);
    thread_ = std::make_unique<MachineThread>(*client_, *reflector_, "watch things");
    thread_->start();
  }
  bool agrees() {
    return seen_.wait([&](const auto& all) { return all == api_.objects(kThings); });
  }

  const SteadyClock clock_;
  std::atomic<int> counted_ = 0;  // by a test; the server still counts while the test ends
  testing::FakeApi api_;
  std::unique_ptr<FakeServer> server_;
  std::unique_ptr<RestClient> client_;
  std::unique_ptr<Reflector> reflector_;
  std::unique_ptr<MachineThread> thread_;
  Awaited<std::map<std::string, std::string>> seen_;
};

TEST_F(MachineThreadTest, API14AWatchIsResumedAfterAnAbortInTheMiddleOfALine) {
  api_.intercept([this](const Call& call, Reply& reply) {
    if (!call.is_watch() || ++counted_ > 1) return false;
    reply.begin_stream();
    reply.chunk(R"({"type":"ADDED","object":{"metadata":{"name":"half)");
    reply.abort();
    return true;
  });
  start();
  ASSERT_TRUE(agrees());
  api_.put(kThings, "t1");
  ASSERT_TRUE(agrees());
  EXPECT_EQ(reflector_->counters().lists, 1U);
}

TEST_F(MachineThreadTest, API14AServerThatReturnsIsPickedUp) {
  start();
  ASSERT_TRUE(agrees());
  const unsigned short port = server_->port();
  server_.reset();
  ASSERT_TRUE(testing::until([&] { return reflector_->counters().failures > 0; }));
  api_.erase(kThings, "t1");
  api_.put(kThings, "t2");
  serve(port);
  EXPECT_TRUE(agrees());
  EXPECT_EQ(reflector_->counters().lists, 1U);
}

// A connection that is dead, and a pause after a failure.
TEST_F(MachineThreadTest, API41AnInterruptLeadsToTheNextWatchAtOnce) {
  api_.intercept([this](const Call& call, Reply& reply) {
    const int number = call.is_watch() ? ++counted_ : 0;
    if (number == 1) reply.wait_until_closed();
    if (number == 2) reply.send(500, "{}");
    return number == 1 || number == 2;
  });
  start(1h);
  ASSERT_TRUE(testing::until([&] { return counted_ == 1; }));
  api_.put(kThings, "t2");
  ASSERT_TRUE(testing::until([&] {
    thread_->interrupt();
    return counted_ >= 3;
  }));
  EXPECT_TRUE(agrees());
  EXPECT_LE(reflector_->counters().failures, 1U) << "an interrupt is none";
}

TEST_F(MachineThreadTest, API41AnInterruptEndsAListThatHasNoAnswer) {
  api_.intercept([this](const Call& call, Reply& reply) {
    const bool stalls = !call.is_watch() && ++counted_ == 1;
    if (stalls) reply.wait_until_closed();
    return stalls;
  });
  start();
  ASSERT_TRUE(testing::until([&] { return counted_ == 1; }));
  ASSERT_TRUE(testing::until([&] {
    thread_->interrupt();
    return counted_ >= 2;
  }));
  EXPECT_TRUE(agrees());
}

// During a list, and during a watch.
TEST_F(MachineThreadTest, API17ItStopsWhileTheServerStalls) {
  for (const bool watches : {false, true}) {
    api_.intercept([watches](const Call& call, Reply& reply) {
      if (call.is_watch() != watches) return false;
      reply.wait_until_closed();
      return true;
    });
    start();
    ASSERT_TRUE(testing::until([&] { return server_->calls().size() > (watches ? 2U : 0U); }));
    const auto begun = std::chrono::steady_clock::now();
    thread_->stop();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 25s) << "a call may take 30 s";
    thread_.reset();
    client_->stop();
  }
}

}  // namespace
}  // namespace berth::kubeapi
