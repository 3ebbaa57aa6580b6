#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kubeapi/rest_client.h"
#include "kubeapi/timer.h"

namespace berth::kubeapi {

// Writes of which only the latest matters, such as an object's status: at most one per object is
// under way, and a failed one is sent again, as it then should be. Any thread.
class LatestWrites {
 public:
  // `complain` is told of what was refused for good. Both must outlive this.
  LatestWrites(RestClient& client, Timer& timer, std::function<void(const std::string&)> complain);

  void put(const std::string& key, Request request);
  // Nothing is sent again of what was put so far.
  void forget();

 private:
  struct Write {
    std::optional<Request> next;  // waits for the one under way
    Request current;
    std::int32_t failures = 0;
  };
  struct State {
    RestClient& client;
    Timer& timer;
    std::function<void(const std::string&)> complain;
    std::mutex mutex;
    std::map<std::string, Write> writes;
  };

  static void take_next(Write& write);
  static void send(const std::shared_ptr<State>& state, const std::string& key, Request request);
  static void on_answer(const std::shared_ptr<State>& state, const std::string& key,
                        const Response& response);

  std::shared_ptr<State> state_;
};

}  // namespace berth::kubeapi
