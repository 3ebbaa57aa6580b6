#include "proxy/proxy.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "berth/base/thread_name.h"
#include "proxy/listener.h"
#include "proxy/server_tls.h"
#include "proxy/state.h"
#include "proxy/upstream_client.h"

namespace berth::proxy {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kDrainStep(5);

class Http2Proxy final : public Proxy {
 public:
  Http2Proxy(Options options, Interceptor& interceptor)
      : state_(std::move(options), interceptor),
        guard_(asio::make_work_guard(state_.context)),
        drain_timer_(state_.context) {}

  ~Http2Proxy() override { stop(); }

  Status prepare() {
    auto tls = make_server_tls(state_.options);
    if (!tls) return tls.error();
    auto upstream = UpstreamClient::create(state_);
    if (!upstream) return upstream.error();
    upstream_ = std::move(*upstream);
    state_.upstream = upstream_.get();
    listener_ = std::make_unique<Listener>(state_, std::move(*tls));
    return Done{};
  }

  Status start() override {
    if (Status listening = listener_->listen(); !listening) return listening;
    asio::post(state_.context, [this] { listener_->start(); });
    thread_ = std::thread([this] { run(); });
    return Done{};
  }

  std::uint16_t port() const override { return listener_->port(); }

  void set_token(std::string token) override {
    asio::post(state_.context, [this, token = std::move(token)] {
      state_.authorization = token.empty() ? "" : "authorization: Bearer " + token;
    });
  }

  void post(std::function<void()> task) override { asio::post(state_.context, std::move(task)); }

  void stop() override {
    const std::lock_guard lock(stop_mutex_);
    if (!thread_.joinable()) return;
    asio::post(state_.context, [this] {
      listener_->drain();
      const Duration drain = state_.options.drain;
      drain_until(Steady::now() + std::chrono::duration_cast<Steady::duration>(drain));
    });
    thread_.join();
  }

  Counts counts() const override { return state_.counts; }

 private:
  void run() {
    name_thread("view");
    for (;;) {
      try {
        state_.context.run();
        return;
      } catch (const std::exception& failure) {
        state_.notice(std::string("the proxy's thread caught: ") + failure.what());
      }
    }
  }

  void drain_until(Steady::time_point deadline) {
    if (!listener_->is_empty() && Steady::now() < deadline) {
      drain_timer_.expires_after(kDrainStep);
      drain_timer_.async_wait(
          [this, deadline](const boost::system::error_code&) { drain_until(deadline); });
      return;
    }
    listener_->cut();
    // With connections and their transfers gone, nothing keeps the context running but posted
    // tasks. Connections to upstream that are idle must not.
    guard_.reset();
    upstream_.reset();
  }

  ProxyState state_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  asio::steady_timer drain_timer_;
  std::unique_ptr<UpstreamClient> upstream_;
  std::unique_ptr<Listener> listener_;
  std::thread thread_;
  std::mutex stop_mutex_;
};

}  // namespace

Result<std::unique_ptr<Proxy>> Proxy::create(Options options, Interceptor& interceptor) {
  auto made = std::make_unique<Http2Proxy>(std::move(options), interceptor);
  if (Status prepared = made->prepare(); !prepared) return prepared.error();
  return std::unique_ptr<Proxy>(std::move(made));
}

}  // namespace berth::proxy
