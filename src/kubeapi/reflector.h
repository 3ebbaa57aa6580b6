#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kubeapi/backoff.h"
#include "kubeapi/known_objects.h"
#include "kubeapi/object_reader.h"
#include "kubeapi/reflected_kind.h"
#include "kubeapi/state_machine.h"

namespace berth::kubeapi {

// Follows a kind with lists, watches and resumed watches, so that the objects handed on become
// those that the server holds. No object is handed on twice as new, and no deleted object is kept,
// whatever the server does. docs/design/api-client.md has the rules.
class Reflector final : public StateMachine {
 public:
  // `clock` must outlive this. `server`: "https://host:port", for messages.
  Reflector(const Clock& clock, std::string server, ReflectedKind kind, ReflectorOptions options);

  Step step() override;
  Step answered(Response response) override;
  bool take(std::string_view frame) override;

  // True once listed, or for an optional kind that is not served. Any thread.
  bool is_synced() const { return is_synced_; }
  // Synced, and listing again since its version was too old, or without a watch that is known to
  // work since one failed or was doubted (API-41). Not if a list or a short watch that began
  // `proved_within` ago, or later, has ended in good order. Any thread.
  bool is_behind(Duration proved_within = {}) const;
  // True if a list or watch that was silent for long, or a pause, is to be interrupted. Not after
  // such a list or watch either. Any thread.
  bool doubt(Duration proved_within = {});
  ReflectorCounters counters() const { return counters_; }  // any thread
  const std::string& name() const { return kind_.name; }
  bool is_required() const { return kind_.required; }

 private:
  // In the watch: all changes so far have come, or come without delay.
  enum class Trust : std::uint8_t {
    full,
    none,    // the next watch is a short one
    tested,  // by a short watch, which is under way
    idle,    // there is nothing to watch: an optional kind that is not served
  };
  struct Watch {
    bool brings_list = false;  // a streaming list before its end
    int events = 0;
    bool must_list = false;
    std::chrono::seconds length{};  // as requested
    TimePoint begun_at;
    std::optional<Error> error;
  };

  Step list_page();
  Step took_page(Response response);
  Step list_failed(const Response& response);
  Step watch();
  Step watch_ended(const Watch& watch, const Response& response);
  Step pause(Duration length);
  Step fail(const Error& error, std::optional<Duration> retry_after = std::nullopt);
  bool give_up(Error error, bool must_list = false);
  void begin_list();
  void list_ended(const std::string& version);
  void forget_version();
  bool has_proved(Duration within) const;
  void settle_for_nothing();
  bool is_older(const std::string& version) const;
  std::string path_with(const std::string& query) const;
  Error unreadable(const Error& error, std::string_view text) const;
  Error failure(const Response& response) const;

  const Clock& clock_;
  const std::string server_;
  const ReflectedKind kind_;
  const ReflectorOptions options_;
  ReflectorCounters counters_;
  KnownObjects known_;
  const std::unique_ptr<ObjectReader> reader_;
  WatchEvent event_;
  Backoff backoff_;
  bool streams_lists_;
  std::optional<Watch> watch_;  // under way
  std::string version_;         // the last one seen; empty: none that can be trusted
  std::string token_;           // of the next page
  TimePoint listed_at_;
  int expired_pages_ = 0;
  int failed_pages_ = 0;  // in a row
  int broken_lists_ = 0;
  int failed_watches_ = 0;
  int absent_ = 0;
  std::atomic<bool> is_synced_ = false;
  std::atomic<bool> is_listing_ = true;
  std::atomic<int> cut_off_ = 0;  // how often silence has ended the present list
  int tests_ = 0;                 // short watches that proved nothing, in a row
  int silent_tests_ = 0;          // those without a byte, likewise
  std::atomic<bool> is_pausing_ = false;
  std::atomic<Trust> trust_ = Trust::full;
  std::atomic<TimePoint> heard_at_ = TimePoint();
  TimePoint list_begun_at_;
  std::atomic<TimePoint> proved_at_ = TimePoint::min();  // what has proved it began then
};

}  // namespace berth::kubeapi
