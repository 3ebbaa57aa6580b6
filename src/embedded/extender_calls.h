#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/executor.h"
#include "embedded/link.h"
#include "http/router.h"

namespace berth::embedded {

// The calls of a kube-scheduler to the extender in its own process, without a socket. Each is
// answered at once, later, or never.
class ExtenderCalls {
 public:
  // On the executor. `error`: why there is no body; empty: status 200.
  using Then = std::function<void(const std::string& error, const std::string& body)>;

  // All must outlive it. Without an extender, nobody calls.
  ExtenderCalls(Executor& executor, Link& link, const http::Router* extender)
      : executor_(executor), link_(link), extender_(extender) {}
  // Hangs up. Nothing is answered any more.
  ~ExtenderCalls();
  ExtenderCalls(const ExtenderCalls&) = delete;
  ExtenderCalls& operator=(const ExtenderCalls&) = delete;

  void call(const std::string& path, std::string body, Duration timeout, Then then);

 private:
  class Call;

  void send(const std::string& path, std::string body, const std::shared_ptr<Call>& call);

  Executor& executor_;
  Link& link_;
  const http::Router* extender_;
  std::vector<std::shared_ptr<Call>> calls_;
};

}  // namespace berth::embedded
