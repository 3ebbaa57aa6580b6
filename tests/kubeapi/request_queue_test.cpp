#include "kubeapi/request_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/agenda.h"

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kFirstMoment(1h);

// Answers when the test says so.
class HeldTransport final : public Transport {
 public:
  void start(std::uint64_t id, const Request& request, Done done) override {
    sent.push_back(request.path);
    open_.emplace(id, std::move(done));
  }
  void cancel(std::uint64_t id, const std::string& why) override { answer(id, {.error = why}); }
  Response stream(const Request&, const OnBytes&, std::stop_token) override { return {}; }
  const std::string& server() const override { return server_; }

  void answer_first() { answer(open_.begin()->first, {.status = 200}); }
  std::size_t open() const { return open_.size(); }

  std::vector<std::string> sent;

 private:
  void answer(std::uint64_t id, Response response) {
    const auto ended = open_.extract(id);
    if (!ended.empty()) ended.mapped()(std::move(response));
  }

  std::map<std::uint64_t, Done> open_;
  const std::string server_ = "https://test:1";
};

class RequestQueueTest : public ::testing::Test {
 protected:
  RequestQueueTest() {
    options_.qps = 0;
    options_.leadership = &leadership_;
    leadership_.begin(kEpoch, ports::Leadership::kForever);
  }

  RequestQueue& queue() {
    if (!queue_) queue_.emplace(agenda_, transport_, options_, pulse_);
    return *queue_;
  }
  static Request get(const std::string& path) {
    Request request;
    request.path = path;
    return request;
  }
  static Request post(const std::string& path) {
    Request request = get(path);
    request.method = "POST";
    request.epoch = kEpoch;
    return request;
  }
  void send(Request request) {
    const std::string path = request.path;
    queue().send(std::move(request),
                 [this, path](const Response& response) { answers_[path] = response.error; });
  }
  void settle() { agenda_.run_for(0ns); }

  static constexpr std::uint64_t kEpoch = 5;
  support::Agenda agenda_{kFirstMoment};
  ports::Leadership leadership_{agenda_};
  HeldTransport transport_;
  Pulse pulse_{agenda_};
  RestOptions options_;
  std::optional<RequestQueue> queue_;
  std::map<std::string, std::string> answers_;  // errors, by path
};

using Paths = std::vector<std::string>;

TEST_F(RequestQueueTest, API2ARequestThatNobodyWaitsForIsGivenUp) {
  options_.max_in_flight = 1;
  std::map<std::string, std::uint64_t> tickets;
  for (const char* path : {"/flying", "/queued", "/next"}) {
    tickets[path] = queue().send(
        get(path), [this, path](const Response& response) { answers_[path] = response.error; });
  }
  queue().give_up(tickets["/queued"]);
  EXPECT_EQ(answers_, (std::map<std::string, std::string>{{"/queued", "given up"}}));
  queue().give_up(tickets["/flying"]);
  settle();
  EXPECT_EQ(answers_["/flying"], "https://test:1: given up");
  EXPECT_EQ(transport_.sent, (std::vector<std::string>{"/flying", "/next"}));
  transport_.answer_first();
  settle();
  queue().give_up(tickets["/next"]);  // it has its answer
}

TEST_F(RequestQueueTest, API10KeepsToTheCapOnRequestsInFlight) {
  options_.max_in_flight = 3;
  for (int i = 0; i < 10; ++i) send(get("/" + std::to_string(i)));
  while (transport_.open() > 0) {
    EXPECT_LE(transport_.open(), 3U);
    transport_.answer_first();
    settle();
  }
  EXPECT_EQ(transport_.sent.size(), 10U);
  EXPECT_EQ(answers_.size(), 10U);
}

TEST_F(RequestQueueTest, API10KeepsToTheRate) {
  options_.qps = 10;
  options_.burst = 2;
  for (int i = 0; i < 5; ++i) send(get("/" + std::to_string(i)));
  EXPECT_EQ(transport_.sent.size(), 2U);
  agenda_.run_for(150ms);
  EXPECT_EQ(transport_.sent.size(), 3U);
  agenda_.run_for(200ms);
  EXPECT_EQ(transport_.sent.size(), 5U);
}

TEST_F(RequestQueueTest, API10LetsUrgentRequestsPassTheLimits) {
  options_.qps = 0.001;
  options_.burst = 1;
  options_.max_in_flight = 1;
  send(get("/held"));
  send(get("/queued"));
  Request lease = get("/lease");
  lease.urgent = true;
  send(lease);
  EXPECT_EQ(transport_.sent, (Paths{"/held", "/lease"}));
  EXPECT_EQ(queue().counters().queued, 1U);
  EXPECT_EQ(queue().counters().in_flight, 2U);
}

TEST_F(RequestQueueTest, API10LetsRequestsThatCanWaitComeLast) {
  options_.max_in_flight = 1;
  send(get("/first"));
  Request event = post("/event");
  event.can_wait = true;
  send(event);
  for (const char* path : {"/a", "/b"}) send(post(path));
  for (int i = 0; i < 3; ++i) {
    transport_.answer_first();
    settle();
  }
  EXPECT_EQ(transport_.sent, (Paths{"/first", "/a", "/b", "/event"}));
}

TEST_F(RequestQueueTest, LEASE7WritesThatDoNotEndInTimeAreGivenUp) {
  options_.max_in_flight = 2;
  for (const char* path : {"/a", "/b", "/c"}) send(post(path));
  send(get("/read"));
  bool has_ended = false;
  queue().end_writes(1s, [&] { has_ended = true; });
  EXPECT_NE(answers_.at("/c"), "") << "it was not sent yet";
  transport_.answer_first();
  agenda_.run_for(999ms);
  EXPECT_EQ(answers_.at("/a"), "");
  EXPECT_FALSE(has_ended);
  agenda_.run_for(1ms);
  EXPECT_TRUE(has_ended);
  EXPECT_NE(answers_.at("/b").find(kTermIsOver), std::string::npos);
  EXPECT_EQ(transport_.open(), 1U) << "a read needs no term";
  EXPECT_EQ(queue().counters().outdated, 2U);
}

TEST_F(RequestQueueTest, LEASE7TheEndOfOneTermIsNotThatOfTheNext) {
  send(post("/a"));
  bool has_ended = false;
  queue().end_writes(1s, [&] { has_ended = true; });
  transport_.answer_first();
  settle();
  ASSERT_TRUE(has_ended);
  send(post("/b"));
  agenda_.run_for(1s);
  EXPECT_EQ(transport_.open(), 1U);
}

TEST_F(RequestQueueTest, AnswersEverythingOnceWhenStopped) {
  options_.max_in_flight = 1;
  for (const char* path : {"/a", "/b"}) send(get(path));
  bool has_ended = false;
  queue().stop([&] { has_ended = true; });
  send(get("/late"));
  settle();
  EXPECT_TRUE(has_ended);
  EXPECT_EQ(answers_.size(), 3U);
  for (const auto& [path, error] : answers_) {
    EXPECT_NE(error.find(RequestQueue::kStopped), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace berth::kubeapi
