#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/written_status.h"

namespace berth::page {

// Classes of waits double: up to 1 s, 2 s, ... and 65,536 s; the last has all longer ones (PAGE-8).
inline constexpr std::size_t kWaitClasses = 18;
std::size_t class_of_wait(Duration wait);

struct SessionRecord {
  TimePoint at;
  Duration took{};
  std::size_t events = 0;
  std::size_t binds = 0;
  std::size_t pipelined = 0;
  std::size_t admitted = 0;
  std::size_t evictions = 0;
  std::size_t waiting_jobs = 0;
  std::size_t waiting_pods = 0;
  std::vector<std::pair<std::string, Duration>> actions = {};
  std::vector<Duration> waits = {};  // of jobs that started
};

// The parts in use at a moment, in millionths, by resource.
struct UseSample {
  using Parts = std::vector<std::int64_t>;
  std::vector<std::string> resources;
  Parts all;
  std::vector<std::pair<std::string, Parts>> queues;  // without those that use nothing
};

struct EvictionRecord {
  TimePoint at;
  std::string pod = {};  // namespace/name, as all names here
  std::string job = {};
  std::string queue = {};
  std::string node = {};
  std::string claimant = {};  // empty: it had to leave without one
  std::string action = {};
  std::string_view as = {};  // to_string() of it
  std::string why = {};
  Duration age{};          // for which the pod had its node
  NamedAmounts room = {};  // that it had
};

// Sums over some time (PAGE-6).
struct Span {
  TimePoint begin;
  Duration length{};
  std::size_t sessions = 0;
  Duration took{};
  Duration longest{};
  std::map<std::string, Duration, std::less<>> actions;
  std::size_t binds = 0;
  std::size_t admitted = 0;
  std::size_t evictions = 0;
  std::size_t started = 0;
  std::array<std::size_t, kWaitClasses> waits{};
  std::size_t waiting_jobs = 0;  // the most after one session
  std::size_t waiting_pods = 0;
  std::size_t samples = 0;  // of use; sums are below
  std::vector<std::string> resources;
  UseSample::Parts used;
  std::map<std::string, UseSample::Parts> queues;
  std::uint64_t version = 0;  // of History, of its last change
};

// The last day in bounded memory, at falling resolution. Written by the session thread, read by
// any.
class History {
 public:
  static constexpr std::size_t kSessions = 120;
  static constexpr std::size_t kEvictions = 500;
  static constexpr std::size_t kMinutes = 120;
  static constexpr std::size_t kTens = 144;
  static constexpr std::size_t kQueues = 20;  // of a sample; the others count together
  static constexpr const char* kOthers = "";

  void add(const SessionRecord& session);
  void add(TimePoint at, UseSample sample);
  void add(EvictionRecord eviction);

  // All that changed after the version of an earlier call; 0: everything. Numbers count from 1.
  struct News {
    std::uint64_t version = 0;
    std::vector<std::pair<std::uint64_t, SessionRecord>> sessions;
    std::vector<std::pair<std::uint64_t, EvictionRecord>> evictions;
    std::vector<Span> spans;
    // The oldest that there are.
    std::uint64_t first_session = 1;
    std::uint64_t first_eviction = 1;
    TimePoint first_minute;
    TimePoint first_ten;
  };
  News since(std::uint64_t version) const;

 private:
  template <class T>
  struct Numbered {
    std::uint64_t version = 0;
    T value;
  };
  template <class Add>
  void add_to_spans(TimePoint at, const Add& add_to);

  mutable std::mutex mutex_;  // guards all below
  std::uint64_t version_ = 0;
  std::uint64_t session_count_ = 0;
  std::uint64_t eviction_count_ = 0;
  std::deque<Numbered<SessionRecord>> sessions_;
  std::deque<Numbered<EvictionRecord>> evictions_;
  std::deque<Span> minutes_;
  std::deque<Span> tens_;
};

}  // namespace berth::page
