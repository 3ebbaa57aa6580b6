#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "history/files.h"

namespace berth::history {

// HISTORY-7. A thread that writes what others put into a bounded queue. Nobody waits for it.
class Sink {
 public:
  static constexpr std::size_t kBytesMost = 32UL << 20;  // in the queue

  struct Parts {
    std::function<void(const std::string&)> log;          // on the sink's thread
    std::function<void(std::uint64_t)> written, dropped;  // entries; any thread
    std::size_t bytes_most = kBytesMost;
    // After a failure, nothing is tried for so long.
    std::chrono::milliseconds pause = std::chrono::seconds(1);
  };

  Sink(Files& files, Parts parts);
  ~Sink();  // stop()

  void put(Entry entry);
  // Returns when all is written, or lost. Idempotent.
  void stop();

 private:
  void run();
  void write(const std::vector<Entry>& entries);
  void note_loss(std::uint64_t count, const std::string& why);

  Files& files_;
  const Parts parts_;
  bool loses_ = false;      // on the thread: the last entries were lost
  std::uint64_t lost_ = 0;  // since then
  std::mutex mutex_;        // guards what follows
  std::condition_variable news_;
  std::vector<Entry> queue_;
  std::size_t queued_bytes_ = 0;
  std::uint64_t overflowed_ = 0;
  bool is_stopped_ = false;
  std::thread thread_;
};

}  // namespace berth::history
