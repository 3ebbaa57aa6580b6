#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "berth/base/executor.h"
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
// are over.
class AccountToken {
 public:
  // On the executor, or the client's thread; they may not call this object.
  struct Callbacks {
    std::function<void(const std::string& token)> use;  // each new one; "": the last has expired
    std::function<void(const std::string& line)> log;
    std::function<void(const std::string& line)> complain;
  };
  struct Counters {
    std::uint64_t tokens = 0;    // got
    std::uint64_t failures = 0;  // attempts without a token
  };

  // `client` and `executor` must outlive it.
  AccountToken(RestClient& client, Executor& executor, AccountTokenOptions options,
               Callbacks callbacks);
  ~AccountToken();  // stop()
  AccountToken(const AccountToken&) = delete;
  AccountToken& operator=(const AccountToken&) = delete;

  void start();
  // No callback runs any more. Does not wait for an answer. Idempotent.
  void stop();

  void refused();  // the API server does not take the token. Any thread; returns at once.

  // Why there is no valid token; empty: there is one. Any thread.
  std::string fault() const;
  Counters counters() const;  // any thread

 private:
  class Machine;
  const std::shared_ptr<Machine> machine_;  // an answer may come after the end of this object
};

}  // namespace berth::kubeapi
