#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "berth/base/clock.h"
#include "berth/model/event.h"
#include "ports/object_writer.h"

namespace berth::reconcile {

// The subject of a write, which is the index of its ports::Content. At most one write for each
// aspect of an object is under way.
enum class Aspect : std::uint8_t {
  steering,
  group_status,
  queue_status,
  lock,
  marks,
  condition,
  group_spec,
  eviction,
  event,
};
Aspect aspect_of(const ports::Content& content);
template <Aspect aspect, class T>
inline constexpr bool is_content_of =
    std::is_same_v<std::variant_alternative_t<static_cast<std::size_t>(aspect), ports::Content>, T>;
static_assert(is_content_of<Aspect::steering, ports::PodWrite> &&
              is_content_of<Aspect::lock, ports::NodeLock> &&
              is_content_of<Aspect::marks, TargetMarks> &&
              is_content_of<Aspect::condition, ports::PodCondition> &&
              is_content_of<Aspect::group_spec, ports::GroupSpec> &&
              is_content_of<Aspect::event, ports::Event> &&
              std::variant_size_v<ports::Content> == static_cast<std::size_t>(Aspect::event) + 1);

// How long to wait before the same write is sent again, after so many failures in a row (rules
// WRITE-3 to WRITE-5). None: it is not sent again.
std::optional<Duration> retry_delay(Aspect aspect, const ports::WriteOutcome& outcome,
                                    std::int32_t failures);

// The watch shows long before what was written.
inline constexpr Duration kSeenWithin = std::chrono::seconds(10);

// A write that has ended, and how. An event or an eviction that is repeated has not ended.
struct Ended {
  ports::Write write;
  ports::WriteOutcome outcome;

  bool is(ports::WriteOutcome::Result result) const { return outcome.result == result; }
};

// The API has it, or will never have it: the same write is not sent again (WRITE-7).
bool is_believed(const Ended& ended);

// The event for the mirror, if it was an eviction that will not happen (EVICT-3).
std::optional<EvictionRefused> refused_eviction(const Ended& ended);

// The writes under way (docs/design/reconcile.md): one at a time for each aspect of an object, with
// back-off after failures, under the leader's epoch. Session thread, except for what the writer
// calls back, and counters().
class Writes {
 public:
  struct Parts {
    ports::ObjectWriter& writer;
    // Hands an answer to the session thread, which calls take(). Any thread; outlives the writer.
    std::function<void(ports::WriteAnswer)> answer;
    std::function<void(const std::string& line)> log;
    // The watches have not shown within kSeenWithin what was written. Session thread.
    std::function<void()> doubt_watches = [] {};
  };
  enum class Kind : std::uint8_t { status, event, eviction, steering };
  static constexpr std::size_t kKinds = 4;
  struct Counters {
    std::uint64_t failures = 0;  // answers that were no success, each attempt by itself
    std::uint64_t given_up = 0;  // writes that are not sent again
    std::uint64_t pending = 0;   // under way, or to be sent again
  };

  explicit Writes(Parts parts) : parts_(std::move(parts)) {}

  // Answers to writes of before are ignored from now on. Above 0.
  void start_leading(std::uint64_t epoch);
  void stop_leading();
  bool leads() const { return epoch_ != 0; }

  // WRITE-1. No write on this aspect is under way, and none has failed a moment ago.
  bool may_begin(const ports::ObjectRef& object, Aspect aspect, TimePoint now) const;
  // A write on this aspect is under way, or will be repeated.
  bool is_pending(const ports::ObjectRef& object, Aspect aspect) const;
  // Sends it; may_begin() must hold, except for events, each of which is a write of its own.
  // Returns the write's number (WRITE-2).
  std::uint64_t begin(ports::ObjectRef object, ports::Content content, TimePoint now);
  // None: the answer is to a write of an earlier leader, or the write is sent again.
  std::optional<Ended> take(const ports::WriteAnswer& answer, TimePoint now);
  // Sends again what is due of events and evictions. Other aspects are compared anew by their
  // owners, since what is wanted may be something else by now.
  void repeat(TimePoint now);
  // Once in kSeenWithin.
  void doubt_watches(TimePoint now);
  // Nothing differs any more: a failed write is not missed.
  void settle(const ports::ObjectRef& object, Aspect aspect);

  Counters counters(Kind kind) const;  // any thread

 private:
  struct Key {
    std::string uid;  // of events, with the number
    Aspect aspect = Aspect::steering;
    auto operator<=>(const Key&) const = default;
  };
  struct Attempt {
    ports::Write write;
    bool is_under_way = false;
    bool is_pending = false;    // as counted
    std::int32_t failures = 0;  // in a row
    TimePoint not_before;
  };

  void send(Attempt& attempt);
  void log_failure(const Attempt& attempt, const ports::WriteOutcome& outcome, bool is_repeated,
                   TimePoint now);
  void set_pending(Attempt& attempt, bool is_pending);
  void count(Aspect aspect, std::uint64_t Counters::*counter, std::int64_t by);

  Parts parts_;
  std::uint64_t epoch_ = 0;  // 0: another leads
  std::uint64_t number_ = 0;
  TimePoint doubted_at_;  // the watches
  std::map<Key, Attempt> attempts_;
  std::unordered_map<std::uint64_t, Key> under_way_;  // by number
  std::optional<TimePoint> logged_at_;                // when a failure was logged that is repeated
  std::uint64_t unlogged_ = 0;                        // failures since then
  mutable std::mutex mutex_;                          // guards counters_
  std::array<Counters, kKinds> counters_{};
};

}  // namespace berth::reconcile
