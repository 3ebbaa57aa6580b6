#include "proxy/curl_pool.h"

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace berth::proxy {
namespace {

class Nobody : public Interceptor {
 public:
  std::unique_ptr<Exchange> intercept(Request&, Reply&) override { return nullptr; }
  bool reads_body(const Request&) const override { return false; }
  std::optional<Answer> answer(const Request&, std::string_view) override { return {}; }
};

class Job : public CurlJob {
 public:
  void on_done(int) override { is_done = true; }
  bool is_done = false;
};

// The time of the request is up while the context is busy, and the pool goes before its handler
// runs.
TEST(CurlPoolTest, ATimerThatHasEndedDoesNotReachAPoolThatIsGone) {
  using std::chrono::milliseconds;
  Nobody nobody;
  ProxyState state({}, nobody);
  boost::asio::io_context others;
  boost::asio::ip::tcp::acceptor silent(others, {boost::asio::ip::address_v4::loopback(), 0});
  auto pool = std::make_unique<CurlPool>(state, 1, false);
  CURL* const easy = curl_easy_init();
  const std::string url = "http://127.0.0.1:" + std::to_string(silent.local_endpoint().port());
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 500L);
  Job job;
  ASSERT_TRUE(pool->add(easy, job));
  state.context.run_for(milliseconds(50));
  boost::asio::post(state.context, [&] {
    boost::asio::steady_timer(others, milliseconds(600)).wait();
    // Between this and the next, the context takes the timer's handler, which is due.
    boost::asio::post(state.context, [&] {
      if (!job.is_done) pool->remove(easy);  // on a slow machine
      pool.reset();
    });
  });
  state.context.restart();
  state.context.run();
  EXPECT_EQ(pool, nullptr);
  curl_easy_cleanup(easy);
}

}  // namespace
}  // namespace berth::proxy
