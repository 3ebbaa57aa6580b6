#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "berth/base/clock.h"
#include "kubeapi/rest_client.h"
#include "kubeapi/timer.h"
#include "ports/pod_writer.h"

namespace berth::kubeapi {

enum class WriteKind : std::uint8_t { status, event, eviction };
inline constexpr std::size_t kWriteKinds = 3;
const char* to_string(WriteKind kind);

struct WriteCounters {
  std::uint64_t failures = 0;  // answers that were no success, each attempt by itself
  std::uint64_t given_up = 0;  // writes that are not tried again
  std::uint64_t owed = 0;      // under way, or to be tried again
};

// Writes of which only the latest matters, such as an object's status: at most one per key is under
// way, and a failed one is sent again after a while, as it then should be. Any thread.
//
// A status is owed as long as it is the latest, also while we have no right to write it. An event
// or an eviction is tried a few times; an eviction that a PodDisruptionBudget forbids (429) is one.
// What is refused for good, and each eviction that fails, is told; other failures now and then.
class LatestWrites {
 public:
  // `complain` may be called by any thread. All must outlive this.
  LatestWrites(RestClient& client, Timer& timer, std::function<void(const std::string&)> complain);

  // Makes the body of a request of the object that it names, as that was read. None: there is
  // nothing to be written. The body carries the version that was read.
  using Amend = std::function<std::optional<std::string>(const std::string& seen)>;
  // `key` says what is written, for messages: "status of queue q". With `amend`, all is done again
  // when somebody else has written in between (409). `done` is called when it is written, there is
  // nothing to be written, or it is not tried again; not if it is replaced or forgotten before.
  using Done = std::function<void(ports::WriteOutcome)>;
  void put(WriteKind kind, const std::string& key, Request request, Amend amend = nullptr,
           Done done = nullptr);
  // Nothing is sent again of what was put so far.
  void forget();
  WriteCounters counters(WriteKind kind) const;

 private:
  struct Errand {
    Request request;
    Amend amend;
    Done done;
  };
  struct Write {
    WriteKind kind = WriteKind::status;
    std::optional<Errand> next;  // waits for the one under way
    Errand current;
    std::int32_t failures = 0;
  };
  struct State {
    RestClient& client;
    Timer& timer;
    std::function<void(const std::string&)> complain;
    SteadyClock clock;
    mutable std::mutex mutex;
    std::map<std::string, Write> writes;
    std::array<WriteCounters, kWriteKinds> counters{};
    std::optional<TimePoint> told;  // when a failure was last told that will be tried again
    std::uint64_t untold = 0;       // failures since then
  };

  static void take_next(Write& write);
  static void send(const std::shared_ptr<State>& state, const std::string& key, Errand errand);
  static void send_amended(const std::shared_ptr<State>& state, const std::string& key,
                           Errand errand);
  static void send_due(const std::shared_ptr<State>& state, const std::string& key);
  static void on_answer(const std::shared_ptr<State>& state, const std::string& key,
                        const Response& response);
  static std::string complaint_of(State& state, const std::string& key, const Write& write,
                                  const Response& response, bool is_given_up);

  std::shared_ptr<State> state_;
};

}  // namespace berth::kubeapi
