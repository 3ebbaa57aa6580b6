#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "berth/base/clock.h"
#include "kubeapi/backoff.h"
#include "kubeapi/rest_client.h"

namespace berth::kubeapi {

struct AccountTokenOptions {
  std::string name_space;
  std::string name;
  Duration lifetime = std::chrono::hours(1);  // as asked for; the API server's least is 10 min
  Duration retry_least = std::chrono::milliseconds(500);
  Duration retry_most = std::chrono::seconds(15);
  // A token that the API server refuses is replaced, but not within this time of its own issue.
  Duration refusal_pause = std::chrono::seconds(2);
};

// Gets tokens of a service account (TokenRequest), each when four fifths of the last one's lifetime
// are over. Runs on its own thread.
class AccountToken {
 public:
  struct Callbacks {
    // Each new token, and "" when the last one has expired. On the thread of this object.
    std::function<void(const std::string& token)> use;
    std::function<void(const std::string& line)> log;
    std::function<void(const std::string& line)> complain;
  };
  struct Counters {
    std::uint64_t tokens = 0;    // got
    std::uint64_t failures = 0;  // attempts without a token
  };

  // `client` must outlive it.
  AccountToken(RestClient& client, AccountTokenOptions options, Callbacks callbacks);
  ~AccountToken();  // stop()
  AccountToken(const AccountToken&) = delete;
  AccountToken& operator=(const AccountToken&) = delete;

  void start();
  // Does not wait for an answer. Idempotent; not from a callback.
  void stop();

  void refused();  // the API server does not take the token. Any thread; returns at once.

  // Why there is no valid token; empty: there is one. Any thread.
  std::string fault() const;
  Counters counters() const;  // any thread

 private:
  using Steady = std::chrono::steady_clock;
  struct Shared;
  struct Got {
    std::string token;
    Duration lifetime{0};
  };

  void run();
  bool step(std::unique_lock<std::mutex>& lock);
  void ask(std::unique_lock<std::mutex>& lock);
  void take(std::unique_lock<std::mutex>& lock, const Response& response);
  void fail(std::unique_lock<std::mutex>& lock, const std::string& why);
  void expire(std::unique_lock<std::mutex>& lock);
  static Result<Got> read(const Response& response);
  std::string account() const { return options_.name_space + "/" + options_.name; }

  RestClient& client_;
  const AccountTokenOptions options_;
  const Callbacks callbacks_;
  const std::shared_ptr<Shared> shared_;  // an answer may come after the end of this object
  Backoff backoff_;
  Steady::time_point asked_at_;
  Steady::time_point issued_at_;
  Steady::time_point due_;                         // of the next request
  std::optional<Steady::time_point> valid_until_;  // none: no valid token
  bool is_asking_ = false;
  std::string complaint_;  // the last, while it lasts
  std::thread thread_;
};

}  // namespace berth::kubeapi
