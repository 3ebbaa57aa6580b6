#include "http/router.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace berth::http {
namespace {

struct Recorded : Responder::Exchange {
  void answer(Response response) override { answers.push_back(std::move(response)); }
  void on_disconnect(std::function<void()>) override {}
  std::vector<Response> answers;
};

Response route(const Router& router, std::string method, std::string path) {
  auto recorded = std::make_shared<Recorded>();
  router.route({.method = std::move(method), .path = std::move(path)}, Responder(recorded));
  EXPECT_EQ(recorded->answers.size(), 1u);
  return recorded->answers.empty() ? Response{} : recorded->answers.front();
}

Handler answering(std::string body) {
  return [body](const Request&, Responder responder) { responder.answer({.body = body}); };
}

void fill(Router& router) {
  router.add("GET", "/x", answering("got"));
  router.add("POST", "/x", answering("posted"));
  router.add("GET", "/y", answering("other"));
}

TEST(RouterTest, PathAndMethodSelectTheHandler) {
  Router router;
  fill(router);
  EXPECT_EQ(route(router, "GET", "/x").body, "got");
  EXPECT_EQ(route(router, "POST", "/x").body, "posted");
  EXPECT_EQ(route(router, "GET", "/y").body, "other");
}

TEST(RouterTest, AnUnknownPathIs404) {
  Router router;
  fill(router);
  EXPECT_EQ(route(router, "GET", "/").status, 404);
  EXPECT_EQ(route(router, "GET", "/x/").status, 404);
  EXPECT_EQ(route(router, "GET", "/xx").status, 404);
}

TEST(RouterTest, AnotherMethodIs405AndNamesWhatIsAllowed) {
  Router router;
  fill(router);
  const Response refusal = route(router, "DELETE", "/x");
  EXPECT_EQ(refusal.status, 405);
  ASSERT_EQ(refusal.headers.size(), 1u);
  EXPECT_EQ(refusal.headers[0].first, "Allow");
  EXPECT_EQ(refusal.headers[0].second, "GET, POST");
  EXPECT_EQ(route(router, "get", "/x").status, 405) << "methods are case-sensitive";
}

TEST(RouterTest, AHandlerThatThrowsIsCountedAndAnswers500) {
  Router router;
  router.add("GET", "/bad", [](const Request&, Responder) { throw std::runtime_error("oops"); });
  EXPECT_EQ(route(router, "GET", "/bad").status, 500);
  EXPECT_EQ(router.failures(), 1u);
}

TEST(RouterTest, AHandlerThatThrowsAfterItsAnswerDoesNotAnswerTwice) {
  Router router;
  router.add("GET", "/late", [](const Request&, Responder responder) {
    responder.answer({.body = "done"});
    throw 1;
  });
  EXPECT_EQ(route(router, "GET", "/late").body, "done");
  EXPECT_EQ(router.failures(), 1u);
}

TEST(ResponderTest, DestroyedUnansweredItAnswers500) {
  auto recorded = std::make_shared<Recorded>();
  { const Responder dropped(recorded); }
  ASSERT_EQ(recorded->answers.size(), 1u);
  EXPECT_EQ(recorded->answers[0].status, 500);
}

TEST(ResponderTest, AssignedOverItAnswers500ForTheOneItReplaces) {
  auto first = std::make_shared<Recorded>();
  auto second = std::make_shared<Recorded>();
  Responder responder(first);
  responder = Responder(second);
  ASSERT_EQ(first->answers.size(), 1u);
  EXPECT_TRUE(second->answers.empty());
  responder.answer({.body = "x"});
  ASSERT_EQ(second->answers.size(), 1u);
  EXPECT_EQ(second->answers[0].status, 200);
}

}  // namespace
}  // namespace berth::http
