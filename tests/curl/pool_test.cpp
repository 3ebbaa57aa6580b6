#include "curl/pool.h"

#include <gtest/gtest.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace berth::curl {
namespace {

class Job final : public Transfer {
 public:
  explicit Job(const Server& server) : Transfer(server, "/", Connections::own) {}
  void on_done(CURLcode) override { is_done = true; }
  bool is_done = false;

 private:
  void on_head(int, Headers) override {}
  Taken on_body(std::string_view) override { return Taken::whole; }
};

// The time of the request is up while the context is busy, and the pool goes before its handler
// runs.
TEST(PoolTest, ATimerThatHasEndedDoesNotReachAPoolThatIsGone) {
  using std::chrono::milliseconds;
  boost::asio::io_context context;
  boost::asio::io_context others;
  boost::asio::ip::tcp::acceptor silent(others, {boost::asio::ip::address_v4::loopback(), 0});
  auto pool = std::make_unique<Pool>(context, PoolOptions{.most_connections = 1});
  ServerOptions options;
  options.address = "http://127.0.0.1:" + std::to_string(silent.local_endpoint().port());
  const auto server = Server::create(options);
  ASSERT_TRUE(server);
  Job job(**server);
  curl_easy_setopt(job.easy(), CURLOPT_TIMEOUT_MS, 500L);
  ASSERT_TRUE(pool->add(job));
  context.run_for(milliseconds(50));
  boost::asio::post(context, [&] {
    boost::asio::steady_timer(others, milliseconds(600)).wait();
    // Between this and the next, the context takes the timer's handler, which is due.
    boost::asio::post(context, [&] {
      if (!job.is_done) pool->remove(job);  // on a slow machine
      pool.reset();
    });
  });
  context.restart();
  context.run();
  EXPECT_EQ(pool, nullptr);
}

}  // namespace
}  // namespace berth::curl
