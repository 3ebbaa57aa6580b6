#include "proxy/proxy_fixture.h"

#include <cstdlib>
#include <future>

#include "proxy/key_pair.h"

namespace berth::proxy::testing {

ProxyTest::ProxyTest() {
  ::setenv("no_proxy", "127.0.0.1", 1);  // upstream is never behind the machine's own proxy
  const Status made = make_key_pair(file("."));
  EXPECT_TRUE(made) << (made ? "" : made.error().to_string());
}

ProxyTest::~ProxyTest() = default;

Options ProxyTest::options(const std::string& server) const {
  Options made;
  made.certificate_file = file("view.crt");
  made.key_file = file("view.key");
  made.client_ca_file = file("view.crt");
  made.upstream.server = server;
  return made;
}

void ProxyTest::start(Options options) { start(std::move(options), no_interceptor_); }

void ProxyTest::start(Options options, Interceptor& interceptor) {
  options.on_notice = [this](const std::string& message) {
    const std::lock_guard lock(mutex_);
    notices_.push_back(message);
  };
  auto made = Proxy::create(std::move(options), interceptor);
  ASSERT_TRUE(made) << made.error().to_string();
  proxy_ = std::move(*made);
  const Status started = proxy_->start();
  ASSERT_TRUE(started) << started.error().to_string();
}

std::unique_ptr<Proxy> ProxyTest::start_http2_upstream(Options behind) {
  behind.client_ca_file = "";
  start(std::move(behind));
  return std::move(proxy_);
}

Options ProxyTest::http2_options(const Proxy& upstream) const {
  Options made = options("https://127.0.0.1:" + std::to_string(upstream.port()));
  made.upstream.ca_file = file("view.crt");
  return made;
}

Identity ProxyTest::identity() const {
  return {file("view.crt"), file("view.crt"), file("view.key")};
}

std::unique_ptr<H2Client> ProxyTest::client(std::uint32_t stream_window) const {
  auto made = std::make_unique<H2Client>(proxy_->port(), identity(), stream_window);
  EXPECT_TRUE(made->is_connected());
  return made;
}

bool ProxyTest::eventually(const std::function<bool(const Counts&)>& is_true) const {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  std::promise<void> never;
  auto tick = never.get_future();
  while (!is_true(proxy_->counts())) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    tick.wait_for(5ms);
  }
  return true;
}

std::vector<std::string> ProxyTest::notices() {
  const std::lock_guard lock(mutex_);
  return notices_;
}

std::string numbers(std::size_t size) {
  std::string text;
  text.reserve(size + 8);
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i) + ",";
  text.resize(size);
  return text;
}

}  // namespace berth::proxy::testing
