#include "daemon/page_maker.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>

namespace berth::daemon {
namespace {

class Asker final : public http::Responder::Exchange {
 public:
  void answer(http::Response response) override { answer_.set_value(std::move(response)); }
  void on_disconnect(std::function<void()>) override {}
  http::Response get() { return answer_.get_future().get(); }

 private:
  std::promise<http::Response> answer_;
};

// A maker that is busy with a page until it is released.
class PageMakerTest : public testing::Test {
 protected:
  PageMakerTest() {
    first_ = ask("/busy", [this] {
      has_begun_.set_value();
      release_.get_future().wait();
      return http::text_response(200, "busy");
    });
    has_begun_.get_future().wait();
  }

  std::shared_ptr<Asker> ask(const std::string& page, PageMaker::Make make) {
    auto asker = std::make_shared<Asker>();
    maker_->answer(page, std::move(make), http::Responder(asker));
    return asker;
  }

  std::promise<void> has_begun_, release_;
  std::unique_ptr<PageMaker> maker_ = std::make_unique<PageMaker>();
  std::shared_ptr<Asker> first_;
};

TEST_F(PageMakerTest, MakesAPageOnceForAllThatWait) {
  int made = 0;
  const auto make = [&] { return http::text_response(200, "made " + std::to_string(++made)); };
  const auto one = ask("/queues", make), other = ask("/queues", make);
  release_.set_value();
  EXPECT_EQ(one->get().body, other->get().body);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(ask("/queues", make)->get().status, 200);
  EXPECT_EQ(made, 2);
}

TEST_F(PageMakerTest, ServesPagesInTurn) {
  std::string order;
  const auto b = ask("/b", [&] {
    order += "b";
    return http::text_response(200, "");
  });
  const auto a = ask("/a", [&] {
    order += "a";
    return http::text_response(200, "");
  });
  release_.set_value();
  a->get();
  EXPECT_EQ(order, "ba");
}

TEST_F(PageMakerTest, RefusesMoreThanMayWait) {
  const auto make = [] { return http::text_response(200, "made"); };
  std::vector<std::shared_ptr<Asker>> askers;
  for (std::size_t i = 0; i < PageMaker::kWaitingMost; ++i) askers.push_back(ask("/queues", make));
  EXPECT_EQ(ask("/queues", make)->get().status, 503);
  const auto other = ask("/metrics", make);
  release_.set_value();
  for (const auto& asker : askers) EXPECT_EQ(asker->get().status, 200);
  EXPECT_EQ(other->get().status, 200);
}

TEST_F(PageMakerTest, AnExceptionIsAFaultOfThePage) {
  const auto asker =
      ask("/queues", []() -> http::Response { throw std::runtime_error("no table"); });
  release_.set_value();
  const http::Response response = asker->get();
  EXPECT_EQ(response.status, 500);
  EXPECT_NE(response.body.find("no table"), std::string::npos);
}

TEST_F(PageMakerTest, AnswersAllWhenItEnds) {
  const auto waiting = ask("/last", [] { return http::text_response(200, "made"); });
  std::thread end([&] { maker_.reset(); });
  release_.set_value();
  end.join();
  EXPECT_EQ(first_->get().status, 200);
  const int status = waiting->get().status;
  EXPECT_TRUE(status == 200 || status == 503) << status;
}

}  // namespace
}  // namespace berth::daemon
