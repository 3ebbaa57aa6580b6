#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "ports/learned_store.h"

namespace berth::daemon {

// Knowledge of the cluster that outlives berthd (docs/design/learned.md). Read when leading
// begins; nothing waits for it. Written by the leader, now and then and in the end. Session thread.
class Learned {
 public:
  static constexpr Duration kInterval = std::chrono::minutes(10);  // LEARN-3
  static constexpr Duration kReadAgain = std::chrono::minutes(1);  // LEARN-2
  static constexpr Duration kLastWrite = std::chrono::seconds(1);  // LEARN-4
  static constexpr std::size_t kBytesMost = 900'000;               // LEARN-5

  using Save = std::function<std::string(TimePoint now)>;  // empty: nothing is worth keeping
  using Restore = std::function<Status(const std::string& text, TimePoint now)>;

  struct Parts {
    ports::LearnedStore* store = nullptr;  // null: nothing is kept
    std::function<void()> wake;            // any thread: follow_up() is to be called
    std::function<void(const std::string&)> log;
  };

  explicit Learned(Parts parts);

  // Before leading begins.
  void add(std::string key, Save save, Restore restore);

  void start_leading(std::uint64_t epoch, TimePoint now);
  // Takes in answers, and writes what has changed if it is time for it. In each turn.
  void follow_up(TimePoint now);
  // `holds`: the term does, so that what was learned may be written once more.
  void stop_leading(bool holds, TimePoint now);
  // The last write is under way, and worth waiting for.
  bool is_ending(TimePoint now) const { return ends_at_ && now < *ends_at_ && is_writing_; }

 private:
  struct Part {
    std::string key;
    Save save;
    Restore restore;
  };
  struct Mailbox;

  void read();
  void take_texts(const ports::LearnedStore::Texts& texts, TimePoint now);
  void take_answers(TimePoint now);
  void write(TimePoint now);
  ports::LearnedStore::Texts changed_texts(TimePoint now);

  const Parts parts_;
  std::vector<Part> learned_;
  std::uint64_t epoch_ = 0;  // 0: another leads
  bool has_read_ = false;
  bool is_writing_ = false;
  bool is_given_up_ = false;  // in this term
  std::optional<TimePoint> reads_at_;
  TimePoint writes_at_;
  std::optional<TimePoint> ends_at_;
  ports::LearnedStore::Texts written_;  // as the store has it
  ports::LearnedStore::Texts sent_;
  std::string complaint_;             // the last one about room
  std::shared_ptr<Mailbox> mailbox_;  // of this term
};

}  // namespace berth::daemon
