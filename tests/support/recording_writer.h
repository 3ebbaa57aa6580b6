#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ports/object_writer.h"

namespace berth::support {

// Content, and the object that it was written on.
template <class T>
struct On : T {
  ports::ObjectRef object;
};

// Keeps what is written, and lets a test wait for it. Answers at once, unless the test keeps the
// answers back. Any thread.
class RecordingWriter final : public ports::ObjectWriter {
 public:
  struct Written {
    std::vector<std::string> nominations;  // "pod on node"
    std::vector<std::string> commits;      // "pod on node"
    std::vector<On<ports::Event>> events;
    std::vector<On<ports::QueueStatus>> queues;
    std::vector<On<ports::GroupStatus>> statuses;
    std::vector<On<ports::NodeLock>> locks;
    std::vector<On<TargetMarks>> marks;
    std::vector<On<ports::PodCondition>> conditions;
    std::vector<On<ports::GroupSpec>> groups;
    std::vector<On<ports::Eviction>> evictions;
    std::vector<std::string> lines;  // of the log
  };
  struct Pending {
    ports::Write write;
    std::function<void(ports::WriteOutcome)> done;
  };

  void write(const ports::Write& write, std::function<void(ports::WriteOutcome)> done) override {
    const auto* pod = std::get_if<ports::PodWrite>(&write.content);
    if (pod != nullptr && pod->kind == ports::PodWrite::Kind::nominate && on_nominate) {
      on_nominate(write.object.uid);
    }
    bool is_kept_back = false;
    {
      const std::lock_guard lock(mutex_);
      std::visit([&](const auto& content) { keep(write.object, content); }, write.content);
      is_kept_back = keeps_answers_back;
      if (is_kept_back) pending.push_back({write, std::move(done)});
      changed_.notify_all();
    }
    if (!is_kept_back) done(outcome);
  }
  void log(const std::string& line) {
    const std::lock_guard lock(mutex_);
    written_.lines.push_back(line);
    changed_.notify_all();
  }

  // The writes since the last call.
  Written take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(written_, {});
  }
  bool wait(const std::function<bool(const Written&)>& is_so) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return is_so(written_); });
  }
  // Answers all that is kept back.
  void answer(const ports::WriteOutcome& with = {}) {
    for (Pending& each : std::exchange(pending, {})) each.done(with);
  }

  ports::WriteOutcome outcome;  // of writes that are answered at once
  bool keeps_answers_back = false;
  std::vector<Pending> pending;
  std::function<void(const std::string& pod_uid)> on_nominate;  // set before there are threads

 private:
  void keep(const ports::ObjectRef& object, const ports::PodWrite& write) {
    const std::string what = object.uid + " on " + write.node;
    if (write.kind == ports::PodWrite::Kind::nominate) written_.nominations.push_back(what);
    if (write.kind == ports::PodWrite::Kind::commit) written_.commits.push_back(what);
  }
  void keep(const ports::ObjectRef& object, const ports::GroupStatus& content) {
    written_.statuses.push_back({content, object});
  }
  void keep(const ports::ObjectRef& object, const ports::QueueStatus& content) {
    written_.queues.push_back({content, object});
  }
  void keep(const ports::ObjectRef& object, const ports::NodeLock& content) {
    written_.locks.push_back({content, object});
  }
  void keep(const ports::ObjectRef& object, const TargetMarks& content) {
    written_.marks.push_back({content, object});
  }
  void keep(const ports::ObjectRef& object, const ports::PodCondition& content) {
    written_.conditions.push_back({content, object});
  }
  void keep(const ports::ObjectRef& object, const ports::GroupSpec& content) {
    written_.groups.push_back({content, object});
  }
  void keep(const ports::ObjectRef& object, const ports::Eviction& content) {
    written_.evictions.push_back({content, object});
  }
  void keep(const ports::ObjectRef& object, const ports::Event& content) {
    written_.events.push_back({content, object});
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Written written_;
};

}  // namespace berth::support
