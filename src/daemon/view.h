#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apiview/pod_interceptor.h"
#include "berth/base/result.h"
#include "conf/config.h"
#include "proxy/proxy.h"

namespace berth::daemon {

// The API server as the kube-scheduler beside us sees it (docs/design/view.md).
class View {
 public:
  // Makes the key pair of both sides if there is none. Does not listen yet.
  // `token_refused` is called for each request whose token the API server did not take.
  static Result<std::unique_ptr<View>> open(const conf::ViewSettings& settings,
                                            proxy::Upstream upstream,
                                            apiview::PodInterceptor::Parts parts,
                                            std::function<void()> token_refused);

  Status start() { return proxy_->start(); }
  std::uint16_t port() const { return proxy_->port(); }
  // Of the account that kube-scheduler's requests have; empty: there is none. Any thread.
  void set_token(const std::string& token) { proxy_->set_token(token); }
  // The table of shown pods has changed. Any thread; returns at once.
  void shown_changed();
  // To be called about every 100 ms: looks at deferred pods again (VIEW-5). Any thread.
  void tick();
  void stop() { proxy_->stop(); }
  // Somebody lists or watches pods through the view now. Any thread.
  bool is_read() const { return interceptor_.is_read(); }
  // For /metrics, in the exposition format.
  std::string exposition() const;

 private:
  explicit View(apiview::PodInterceptor::Parts parts) : interceptor_(std::move(parts)) {}

  apiview::PodInterceptor interceptor_;
  std::unique_ptr<proxy::Proxy> proxy_;
};

}  // namespace berth::daemon
