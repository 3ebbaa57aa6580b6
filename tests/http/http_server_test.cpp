#include "http/http_server.h"

#include <gtest/gtest.h>

#include <future>

#include "http/beast_connection.h"
#include "http/peers.h"

namespace berth::http::http_server_test {
namespace {

using namespace testing;

const std::string kGet = "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n";

std::string post_of(const std::string& body) {
  return "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

TEST(HttpServerTest, ARequestReachesTheHandlerWhole) {
  RunningServer running(echo);
  auto client = running.client();
  auto reply = client->post("/plan/filter?x=1&y", "{\"a\":1}");
  ASSERT_TRUE(reply) << reply.error().to_string();
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body, "POST /plan/filter?x=1&y {\"a\":1}");
  EXPECT_EQ(reply->header("content-type"), "text/plain; charset=utf-8");
}

TEST(HttpServerTest, ARequestAtALoopbackAddressIsLocal) {
  std::promise<bool> is_local;
  RunningServer running([&](const Request& request, Responder responder) {
    is_local.set_value(request.is_local);
    responder.answer({});
  });
  ASSERT_TRUE(running.client()->post("/", ""));
  EXPECT_TRUE(is_local.get_future().get());
  for (const char* address : {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback(boost::asio::ip::make_address(address))) << address;
  }
  for (const char* address : {"0.0.0.0", "10.0.0.1", "::", "fe80::1", "::ffff:10.0.0.1"}) {
    EXPECT_FALSE(is_loopback(boost::asio::ip::make_address(address))) << address;
  }
}

TEST(HttpServerTest, TheBodyHasRoomBehindIt) {
  std::promise<std::size_t> room;
  RunningServer running([&](const Request& request, Responder responder) {
    room.set_value(request.body.capacity() - request.body.size());
    responder.answer({});
  });
  ASSERT_TRUE(running.client()->post("/", std::string(100'000, 'x')));
  EXPECT_GE(room.get_future().get(), kBodyPadding);
}

TEST(HttpServerTest, AnAnswerIsOneWriteWithALengthAndNothingAfterIt) {
  RunningServer running([](const Request&, Responder responder) {
    responder.answer({.status = 200, .body = "[1,2]", .headers = {{"X-A", "b"}}});
  });
  RawClient client(running.port);
  client.send(post_of("{}"));
  EXPECT_EQ(client.receive_some(),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-A: b\r\n"
            "Content-Length: 5\r\n\r\n[1,2]");
  client.send(post_of("{}"));  // a trailing byte would be in front of this answer
  EXPECT_EQ(client.receive_some().substr(0, 15), "HTTP/1.1 200 OK");
}

TEST(HttpServerTest, LargeBodiesPassInBothDirections) {
  RunningServer running([](const Request& request, Responder responder) {
    responder.answer({.body = request.body});
  });
  auto client = running.client();
  for (const std::size_t size : {1u, 65'535u, 65'536u, 200'000u, 5'000'000u, 3u}) {
    std::string body(size, 'x');
    body.back() = 'y';
    auto reply = client->post("/", body);
    ASSERT_TRUE(reply) << size << ": " << reply.error().to_string();
    EXPECT_TRUE(reply->body == body) << size;
  }
  EXPECT_LT(running.server->counts().connections_accepted, 6u);
}

TEST(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  RunningServer running(echo);
  RawClient client(running.port);
  std::string burst, expected;
  for (int i = 0; i < 200; ++i) burst += post_of("body " + std::to_string(i));
  client.send(burst);
  for (int i = 0; i < 200; ++i) expected += "POST /p body " + std::to_string(i);
  client.end_sending();
  const std::string all = client.receive_all();
  std::string bodies;
  for (std::size_t at = all.find("\r\n\r\n"); at != std::string::npos;
       at = all.find("\r\n\r\n", at + 4)) {
    bodies += all.substr(at + 4, all.find("HTTP/1.1", at) - at - 4);
  }
  EXPECT_EQ(bodies, expected);
}

TEST(HttpServerTest, ARequestPipelinedBehindAHeldOneWaitsForIt) {
  Holder holder;
  RunningServer running(holder.handler());
  RawClient client(running.port);
  client.send(post_of("1") + post_of("2"));
  ASSERT_TRUE(holder.wait_for(1));
  holder.answer_all({.body = "first"});
  EXPECT_EQ(body_of(client.receive_reply()), "first");
  ASSERT_TRUE(holder.wait_for(1));
  holder.answer_all({.body = "second"});
  EXPECT_EQ(body_of(client.receive_reply()), "second");
}

TEST(HttpServerTest, ExpectContinueIsAnsweredBeforeTheBody) {
  RunningServer running(echo);
  RawClient client(running.port);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.receive_some(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_EQ(body_of(client.receive_reply()), "POST / abc");
}

TEST(HttpServerTest, ExpectContinueOfATooLargeBodyIsRefusedInstead) {
  RunningServer running(echo, {.max_body_bytes = 10});
  RawClient client(running.port);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 30\r\n\r\n");
  EXPECT_EQ(status_of(client.receive_reply()), 413);
}

TEST(HttpServerTest, Http10IsClosedUnlessItAsksOtherwise) {
  RunningServer running(echo);
  RawClient plain(running.port);
  plain.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_NE(plain.receive_all().find("Connection: close\r\n"), std::string::npos);
  RawClient kept(running.port);
  for (int i = 0; i < 2; ++i) {
    kept.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_NE(kept.receive_reply().find("Connection: keep-alive\r\n"), std::string::npos);
  }
}

TEST(HttpServerTest, ConnectionCloseIsObeyed) {
  RunningServer running(echo);
  RawClient client(running.port);
  client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(status_of(client.receive_all()), 200);
}

TEST(HttpServerTest, AnAnswerMayEndItsConnection) {
  RunningServer running([](const Request&, Responder responder) {
    Response response = text_response(200, "not here");
    response.closes = true;
    responder.answer(std::move(response));
  });
  RawClient client(running.port);
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(client.receive_all().find("Connection: close\r\n"), std::string::npos);
}

TEST(HttpServerTest, HeadHasTheLengthButNoBody) {
  RunningServer running(echo);
  RawClient client(running.port);
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string reply = client.receive_all();
  EXPECT_NE(reply.find("Content-Length: 7\r\n"), std::string::npos) << reply;
  EXPECT_EQ(body_of(reply), "");
}

TEST(HttpServerTest, AClientThatEndsItsSideStillGetsAnAnswerThatIsReady) {
  RunningServer running(echo);
  RawClient client(running.port);
  client.send(kGet);
  client.end_sending();
  EXPECT_EQ(body_of(client.receive_all()), "GET /a?b=c ");
}

TEST(HttpServerTest, IPv6Works) {
  RunningServer running(echo, {.address = "::1"});
  RawClient client(running.port, "::1");
  client.send(kGet);
  EXPECT_EQ(status_of(client.receive_reply()), 200);
}

TEST(HttpServerTest, TheUnspecifiedV6AddressServesBothFamilies) {
  RunningServer running(echo, {.address = "::"});
  for (const char* address : {"::1", "127.0.0.1"}) {
    RawClient client(running.port, address);
    client.send(kGet);
    EXPECT_EQ(status_of(client.receive_reply()), 200) << address;
  }
}

TEST(HttpServerTest, ABusyPortIsAnErrorThatNamesIt) {
  RunningServer running(echo);
  const Status second = make_http_server({.port = running.port}, echo)->start();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().where, "127.0.0.1:" + std::to_string(running.port));
  const Status nowhere = make_http_server({.address = "localhost"}, echo)->start();
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().to_string(), "localhost: not an address; expected an IP literal");
}

TEST(HttpServerTest, AnIdleConnectionIsClosedAfterItsTimeout) {
  RunningServer running(echo, {.idle_timeout = 200ms, .first_request = 200ms});
  RawClient fresh(running.port);
  RawClient used(running.port);
  used.send(kGet);
  EXPECT_EQ(status_of(used.receive_reply()), 200);
  EXPECT_EQ(fresh.receive_all(), "");
  EXPECT_EQ(used.receive_all(), "");
  EXPECT_EQ(running.server->counts().timeouts, 0u) << "being idle is no offence";
}

TEST(HttpServerTest, TheFirstRequestHasATimeoutOfItsOwn) {
  RunningServer running(echo, {.idle_timeout = 1h, .first_request = 100ms});
  RawClient fresh(running.port);
  EXPECT_EQ(fresh.receive_all(), "");
  RunningServer other(echo, {.idle_timeout = 100ms, .first_request = 1h});
  RawClient used(other.port);
  used.send(kGet);
  EXPECT_EQ(status_of(used.receive_reply()), 200);
  EXPECT_EQ(used.receive_all(), "");
}

TEST(HttpServerTest, AHandlerThatThrowsAnswers500AndTheConnectionLives) {
  std::promise<std::string> notice;
  ServerOptions options;
  options.on_notice = [&](const std::string& message) { notice.set_value(message); };
  RunningServer running(
      [](const Request& request, Responder responder) {
        if (request.path == "/bad") throw std::runtime_error("oops");
        echo(request, std::move(responder));
      },
      std::move(options));
  RawClient client(running.port);
  client.send("GET /bad HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_of(client.receive_reply()), 500);
  client.send(kGet);
  EXPECT_EQ(status_of(client.receive_reply()), 200);
  EXPECT_EQ(running.server->counts().handler_failures, 1u);
  EXPECT_EQ(notice.get_future().get(), "handler of \"/bad\" failed: oops");
}

TEST(HttpServerTest, ADroppedResponderAnswers500) {
  RunningServer running([](const Request&, Responder) {});
  RawClient client(running.port);
  client.send(kGet);
  EXPECT_EQ(status_of(client.receive_reply()), 500);
}

TEST(HttpServerTest, CountsSayWhatHappened) {
  RunningServer running(echo);
  RawClient client(running.port);
  for (int i = 0; i < 3; ++i) {
    client.send(kGet);
    ASSERT_EQ(status_of(client.receive_reply()), 200);
  }
  RawClient broken(running.port);
  broken.send("nonsense\r\n\r\n");
  broken.receive_all();
  const ServerCounts counts = running.server->counts();
  EXPECT_EQ(counts.requests, 3u);
  EXPECT_EQ(counts.malformed, 1u);
  EXPECT_EQ(counts.connections_accepted, 2u);
}

}  // namespace
}  // namespace berth::http::http_server_test
