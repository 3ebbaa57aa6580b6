#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "http/message.h"
#include "page/history.h"
#include "page/parts.h"
#include "page/store.h"
#include "ports/callers.h"
#include "views/queue_table.h"
#include "views/reservation_table.h"

namespace berth::page {

// Answers requests for the page's state, now or when it has changed, on a thread of its own
// (docs/design/page.md).
class Stream {
 public:
  static constexpr std::size_t kWaitingMost = 64;                     // PAGE-3
  static constexpr Duration kPatience = std::chrono::seconds(20);     // PAGE-3
  static constexpr Duration kBesideLeader = std::chrono::seconds(2);  // PAGE-13
  static constexpr Duration kPeriod = std::chrono::seconds(1);        // PAGE-1
  static constexpr Duration kLooksFor = std::chrono::minutes(1);      // PAGE-1
  static constexpr Duration kStaleAfter = std::chrono::seconds(10);   // PAGE-20

  using Take = std::function<void(Batch)>;
  struct Parts {
    std::string instance;
    std::string version;            // of berthd
    std::function<void(Take)> ask;  // calls it once, soon, from any thread; must not wait
    const History& history;
    std::function<std::shared_ptr<const views::QueueTable>()> queues;              // null: none
    std::function<std::shared_ptr<const views::ReservationTable>()> reservations;  // null: none
    const Clock& real_clock;
    std::function<void()> on_start = {};  // of the thread, on it
  };

  explicit Stream(Parts parts);
  ~Stream() { stop(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void start();
  void stop();  // requests that wait get 503. Idempotent

  // A request of the state with the query "instance=I&after=N". `viewer`: who asks; null: he sees
  // all. Answers of viewers may come as long as this lives. Any thread.
  void request(const std::string& query, http::Responder responder,
               std::shared_ptr<ports::Viewer> viewer = nullptr);

  // --- the work of the thread, for callers without it -------------------------------------------
  // Returns when it is to be called again at the latest; before, once something has come.
  TimePoint turn();

 private:
  // Of a viewer; guarded by mutex_.
  struct Sight {
    std::shared_ptr<const ports::SeenNamespaces> seen;  // null: not known yet
  };
  struct Request {
    std::string instance;
    std::optional<std::uint64_t> after;  // none: all
    TimePoint arrived;                   // by the real clock
    std::shared_ptr<std::atomic<bool>> has_left;
    http::Responder responder;
    std::shared_ptr<ports::Viewer> viewer;
    std::shared_ptr<Sight> sight;  // null: the viewer was not asked
  };

  void run();
  Duration patience() const { return leads_ ? kPatience : kBesideLeader; }
  void answer_requests(TimePoint now, bool all);
  bool is_due(const Request& request, TimePoint now) const;
  bool is_stale(TimePoint now) const;
  bool has_sight(Request& request);
  void answer(Request& request);
  void merge(const Batch& batch, TimePoint now);
  void merge_cluster(const Batch& batch);
  void merge_queues(TimePoint now);
  void merge_reservations(TimePoint now);
  void merge_history();
  bool learn_actions(const History::News& news);

  const Parts parts_;
  Store store_;
  TimePoint cluster_now_;
  bool leads_ = true;  // as of the last batch
  std::vector<std::string> actions_;
  std::vector<std::string> resources_;
  std::uint64_t history_version_ = 0;
  std::uint64_t first_session_ = 1, first_eviction_ = 1;         // in the store
  std::map<std::pair<Duration, TimePoint>, std::string> spans_;  // likewise; their keys
  std::shared_ptr<const views::QueueTable> queues_;
  std::shared_ptr<const views::ReservationTable> reservations_;
  TimePoint queues_at_, reservations_at_;
  // By the real clock.
  std::optional<TimePoint> merged_at_;  // a batch
  std::optional<TimePoint> asked_at_;   // for one
  std::optional<TimePoint> looked_at_;  // somebody asked for the state
  bool is_asking_ = false;
  std::vector<Request> waiting_;

  std::mutex mutex_;  // guards all below
  std::condition_variable news_;
  std::vector<Request> arrived_;
  std::size_t waiting_count_ = 0;  // of arrived_ and waiting_
  std::optional<Batch> batch_;
  bool has_sight_ = false;  // a viewer has answered
  bool is_ended_ = false;
  std::thread thread_;
};

}  // namespace berth::page
