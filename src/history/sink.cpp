#include "history/sink.h"

#include <utility>

#include "berth/base/thread_name.h"

namespace berth::history {

Sink::Sink(Files& files, Parts parts) : files_(files), parts_(std::move(parts)) {
  thread_ = std::thread([this] { run(); });
}

Sink::~Sink() { stop(); }

void Sink::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  news_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Sink::put(Entry entry) {
  const std::size_t size = sizeof(Entry) + entry.line.size() + entry.about.size();
  {
    const std::lock_guard lock(mutex_);
    const bool is_full = queued_bytes_ + size > parts_.bytes_most;
    if (!is_full && !is_stopped_) {
      queued_bytes_ += size;
      queue_.push_back(std::move(entry));
      news_.notify_one();
      return;
    }
    ++overflowed_;
  }
  parts_.dropped(1);
}

void Sink::run() {
  name_thread("history");
  while (true) {
    std::vector<Entry> entries;
    std::uint64_t overflowed = 0;
    bool is_last = false;
    {
      std::unique_lock lock(mutex_);
      news_.wait(lock, [this] { return !queue_.empty() || is_stopped_; });
      entries = std::exchange(queue_, {});
      queued_bytes_ = 0;
      overflowed = std::exchange(overflowed_, 0);
      is_last = is_stopped_;
    }
    if (overflowed > 0) note_loss(overflowed, "they come faster than they are written");
    write(entries);
    if (is_last && overflowed == 0 && entries.empty()) return;
    if (!loses_) continue;
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, parts_.pause, [this] { return is_stopped_; });
  }
}

void Sink::write(const std::vector<Entry>& entries) {
  std::uint64_t written = 0;
  for (const Entry& entry : entries) {
    const Status added = files_.add(entry);
    if (added) {
      ++written;
      continue;
    }
    // Those behind it are lost, too: each try may take long.
    for (std::size_t i = written; i < entries.size(); ++i) files_.remember(entries[i]);
    const std::uint64_t rest = entries.size() - written;
    if (written > 0) parts_.written(written);
    parts_.dropped(rest);
    return note_loss(rest, added.error().to_string());
  }
  if (written == 0) return;
  parts_.written(written);
  if (!std::exchange(loses_, false)) return;
  parts_.log("the history is recorded again; entries that were lost: " +
             std::to_string(std::exchange(lost_, 0)));
}

void Sink::note_loss(std::uint64_t count, const std::string& why) {
  lost_ += count;
  if (std::exchange(loses_, true)) return;
  parts_.log("the history loses entries: " + why);
}

}  // namespace berth::history
