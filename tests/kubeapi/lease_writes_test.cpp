#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "berth/base/thread_executor.h"
#include "http/certificates.h"
#include "kubeapi/api_writer.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/held_port.h"
#include "kubeapi/rest_client.h"
#include "kubeapi/transport.h"
#include "kubeapi/waiting.h"
#include "support/jumping_clock.h"

// Writes of a leader whose lease has run out.

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;
using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::HeldPort;
using testing::Reply;

constexpr std::uint64_t kEpoch = 5;

class LeaseWrites : public ::testing::Test {
 protected:
  LeaseWrites() { leadership_.begin(kEpoch, clock_.now() + 6s); }

  std::unique_ptr<RestClient> client_of(Access access, int max_in_flight = 64) {
    RestOptions options;
    options.qps = 0;
    options.max_in_flight = max_in_flight;
    options.leadership = &leadership_;
    auto client = RestClient::create(std::move(access), options);
    EXPECT_TRUE(client) << client.error().to_string();
    return std::move(client).value();
  }
  static Access access_to(unsigned short port) {
    Access access;
    access.server = "http://127.0.0.1:" + std::to_string(port);
    return access;
  }
  static Request post(const std::string& path, std::uint64_t epoch = kEpoch) {
    Request request;
    request.method = "POST";
    request.path = path;
    request.body = "{}";
    request.epoch = epoch;
    return request;
  }
  static Request get(const std::string& path) {
    Request request;
    request.path = path;
    return request;
  }
  // Does not wait for the answer, which goes to answers_.
  void send(RestClient& client, Request request) {
    const std::string path = request.path;
    client.send(std::move(request), [this, path](const Response& response) {
      answers_.change([&](auto& all) { all.emplace_back(path, response); });
    });
  }
  Response answer_to(const std::string& path) {
    Response found;
    EXPECT_TRUE(answers_.wait([&](const auto& all) {
      for (const auto& [asked, response] : all) {
        if (asked == path) found = response;
      }
      return found.status != 0 || !found.error.empty();
    })) << path;
    return found;
  }
  static bool is_given_up(const Response& response) {
    return response.status == 0 && response.error.find(kTermIsOver) != std::string::npos;
  }
  void run_out() { clock_.advance(6s); }

  support::JumpingClock clock_;
  ports::Leadership leadership_{clock_};
  Awaited<std::vector<std::pair<std::string, Response>>> answers_;
};

TEST_F(LeaseWrites, LEASE4AWriteIsSentUnderItsOwnTermOnly) {
  FakeServer server([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  const auto client = client_of(access_to(server.port()));
  EXPECT_EQ(client->call(post("/now")).status, 200);
  EXPECT_TRUE(is_given_up(client->call(post("/before", kEpoch - 1))));
  EXPECT_TRUE(is_given_up(client->call(post("/none", 0)))) << "a caller that forgets the epoch";
  leadership_.begin(kEpoch + 1, clock_.now() + 6s);
  EXPECT_TRUE(is_given_up(client->call(post("/again"))));
  EXPECT_EQ(client->call(post("/next", kEpoch + 1)).status, 200);
  EXPECT_EQ(client->counters().outdated, 3U);
  EXPECT_EQ(client->counters().failed, 0U);
  const auto seen = server.calls();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].target, "/now");
  EXPECT_EQ(seen[1].target, "/next");
}

TEST_F(LeaseWrites, LEASE4ReadsAndWhatAnyBerthdMaySendNeedNoTerm) {
  FakeServer server([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  const auto client = client_of(access_to(server.port()));
  run_out();
  EXPECT_EQ(client->call(get("/read")).status, 200);
  Request lease = post("/lease", 0);
  lease.needs_no_term = true;
  lease.urgent = true;
  EXPECT_EQ(client->call(lease).status, 200);
  lease.urgent = false;
  EXPECT_EQ(client->call(lease).status, 200);
}

TEST_F(LeaseWrites, LEASE4WhatWaitsInTheQueueWhenTheTermEndsIsNotSent) {
  std::atomic<bool> may_answer = false;
  FakeServer server([&](const Call&, Reply& reply) {
    while (!may_answer) std::this_thread::yield();
    reply.send(200, "{}");
  });
  const auto client = client_of(access_to(server.port()), 1);
  send(*client, get("/first"));
  ASSERT_TRUE(server.wait_for_calls(1));
  Request event = post("/event");
  event.can_wait = true;
  send(*client, post("/a"));
  send(*client, event);
  send(*client, post("/b"));
  send(*client, get("/last"));
  run_out();
  may_answer = true;
  for (const char* path : {"/a", "/b", "/event"}) EXPECT_TRUE(is_given_up(answer_to(path))) << path;
  EXPECT_EQ(answer_to("/last").status, 200);
  EXPECT_EQ(server.calls().size(), 2U);
  EXPECT_EQ(client->counters().outdated, 3U);
}

// The queue has let it pass, a moment before.
TEST_F(LeaseWrites, LEASE4TheLastLookIsOnTheConnection) {
  FakeServer server([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  auto credentials = Credentials::open(access_to(server.port()));
  ASSERT_TRUE(credentials);
  RestOptions options;
  options.leadership = &leadership_;
  auto transport = Transport::create(*credentials, options);
  ASSERT_TRUE(transport);
  run_out();
  Awaited<std::optional<std::string>> ended;
  (*transport)->start(1, post("/a"), [&](const Response& response) { ended.set(response.error); });
  ASSERT_TRUE(ended.wait([](const auto& error) { return error.has_value(); }));
  EXPECT_EQ(ended.get(), kTermIsOver);
  EXPECT_TRUE(server.calls().empty());
}

// The connection is there, TLS is not.
TEST_F(LeaseWrites, LEASE4WhatWaitsForItsConnectionWhenTheTermEndsIsNotSent) {
  const http::testing::TemporaryDirectory directory;
  const http::testing::Authority authority("ca", directory.file("ca.crt"));
  authority.issue("server", directory.file("crt"), directory.file("key"), "IP:127.0.0.1");
  FakeServer server([](const Call&, Reply& reply) { reply.send(200, "{}"); },
                    {directory.file("crt"), directory.file("key")});
  HeldPort port(server.port());
  Access access;
  access.server = "https://127.0.0.1:" + std::to_string(port.port());
  access.ca.file = directory.file("ca.crt");
  const auto client = client_of(access);
  send(*client, post("/a"));
  ASSERT_TRUE(port.wait_for_connection());
  run_out();
  port.open();
  EXPECT_TRUE(is_given_up(answer_to("/a")));
  EXPECT_TRUE(server.calls().empty());
  EXPECT_EQ(client->call(get("/read")).status, 200) << "the server can be reached";
}

// A server that stands still has a part of the request, and libcurl the rest.
TEST_F(LeaseWrites, LEASE4ARequestThatTheServerHasInPartIsBrokenOff) {
  HeldPort port(0);
  const auto client = client_of(access_to(port.port()));
  Request large = post("/a");
  large.body.assign(std::size_t{32} << 20, ' ');
  const std::size_t size = large.body.size();
  send(*client, std::move(large));
  ASSERT_TRUE(port.wait_for_connection());
  run_out();
  port.open();
  EXPECT_TRUE(is_given_up(answer_to("/a")));
  EXPECT_LT(port.received().size(), size);
}

TEST_F(LeaseWrites, LEASE7WritesUnderWayAreWaitedFor) {
  std::atomic<bool> may_answer = false;
  FakeServer server([&](const Call&, Reply& reply) {
    while (!may_answer) std::this_thread::yield();
    reply.send(200, "{}");
  });
  const auto client = client_of(access_to(server.port()), 2);
  send(*client, post("/a"));
  send(*client, get("/read"));
  ASSERT_TRUE(server.wait_for_calls(2));
  send(*client, post("/b"));
  Awaited<bool> has_ended;
  std::thread ending([&] {
    client->end_writes(20s);
    has_ended.set(true);
  });
  EXPECT_TRUE(is_given_up(answer_to("/b"))) << "it was not sent yet";
  EXPECT_FALSE(has_ended.get());
  may_answer = true;
  EXPECT_EQ(answer_to("/a").status, 200);
  EXPECT_TRUE(has_ended.wait([](bool has) { return has; }));
  ending.join();
}

TEST_F(LeaseWrites, LEASE7WritesThatDoNotEndInTimeAreGivenUp) {
  Awaited<int> closed;
  FakeServer server([&](const Call&, Reply& reply) {
    reply.wait_until_closed();
    closed.change([](int& count) { ++count; });
  });
  const auto client = client_of(access_to(server.port()));
  send(*client, post("/a"));
  ASSERT_TRUE(server.wait_for_calls(1));
  client->end_writes(0s);
  EXPECT_TRUE(is_given_up(answer_to("/a")));
  EXPECT_TRUE(closed.wait([](int count) { return count == 1; }));
  EXPECT_EQ(client->counters().outdated, 1U);
}

// --- by the writer ----------------------------------------------------------------------------

class LeaseWriter : public LeaseWrites {
 protected:
  void serve(FakeServer::Handler handler) {
    server_ = std::make_unique<FakeServer>(std::move(handler));
    client_ = client_of(access_to(server_->port()));
    writer_ = std::make_unique<ApiWriter>(*client_, executor_, wall_clock_, "here");
  }
  void TearDown() override {
    client_->stop();
    executor_.stop();
  }
  ports::WriteOutcome write(const ports::ObjectRef& object, ports::Content content) {
    Awaited<std::optional<ports::WriteOutcome>> outcome;
    writer_->write({object, std::move(content), kEpoch, 17},
                   [&](ports::WriteOutcome seen) { outcome.set(std::move(seen)); });
    EXPECT_TRUE(outcome.wait([](const auto& seen) { return seen.has_value(); }));
    return outcome.get().value_or(ports::WriteOutcome());
  }

  SystemClock wall_clock_;
  std::unique_ptr<FakeServer> server_;
  std::unique_ptr<RestClient> client_;
  const ScaledClock steady_clock_{TimePoint()};
  ThreadExecutor executor_{steady_clock_, "timer"};
  std::unique_ptr<ApiWriter> writer_;
};

TEST_F(LeaseWriter, LEASE4ABindWhoseTermIsOverFailsAtOnce) {
  serve([&](const Call&, Reply& reply) {
    run_out();
    reply.abort();
  });
  Awaited<std::vector<ports::BindOutcome>> outcomes;
  writer_->bind({"ns", "p", "uid-p", "n1", kEpoch}, [&](const ports::BindOutcome& outcome) {
    outcomes.change([&](auto& all) { all.push_back(outcome); });
  });
  ASSERT_TRUE(outcomes.wait([](const auto& all) { return !all.empty(); }));
  client_->stop();
  ASSERT_EQ(outcomes.get().size(), 1U);
  EXPECT_FALSE(outcomes.get()[0].bound);
  EXPECT_NE(outcomes.get()[0].error, "");
  EXPECT_EQ(server_->calls().size(), 1U) << "it is neither looked up nor posted again";
}

TEST_F(LeaseWriter, LEASE4AWriteWhoseTermIsOverHasFailed) {
  serve([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  run_out();
  const auto outcome = write({ports::ObjectKind::pod, "ns", "p", "uid-p"}, ports::PodWrite());
  EXPECT_EQ(outcome.result, ports::WriteOutcome::Result::failed);
  EXPECT_NE(outcome.error.find(kTermIsOver), std::string::npos) << outcome.error;
  EXPECT_TRUE(server_->calls().empty());
}

// The node is read first. The term ends meanwhile.
TEST_F(LeaseWriter, LEASE4AWriteThatIsMadeOfItsObjectIsNotSent) {
  serve([&](const Call&, Reply& reply) {
    run_out();
    reply.send(200, R"({"metadata":{"uid":"uid-n","resourceVersion":"7"},"spec":{}})");
  });
  const ports::NodeLock lock{.locked_for = "ml.g", .since = wall_clock_.now(), .has_taint = false};
  const auto outcome = write({ports::ObjectKind::node, "", "n1", "uid-n"}, lock);
  EXPECT_EQ(outcome.result, ports::WriteOutcome::Result::failed) << outcome.error;
  ASSERT_EQ(server_->calls().size(), 1U);
  EXPECT_EQ(server_->calls()[0].method, "GET");
}

}  // namespace
}  // namespace berth::kubeapi
