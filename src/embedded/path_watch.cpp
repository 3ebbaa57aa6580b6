#include "embedded/path_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace berth::embedded {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                  IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF;

// The file descriptor that is ready to read, or neither in time.
enum class Ready { changes, stop, neither };

Ready wait_for(int changes, int stop, int timeout_ms) {
  std::array<pollfd, 2> both{{{changes, POLLIN, 0}, {stop, POLLIN, 0}}};
  const int count = ::poll(both.data(), both.size(), timeout_ms);
  if (both[1].revents != 0) return Ready::stop;
  return count > 0 ? Ready::changes : Ready::neither;
}

}  // namespace

PathWatch::~PathWatch() {
  if (inotify_ >= 0) ::close(inotify_);
  if (stop_event_ >= 0) ::close(stop_event_);
}

Status PathWatch::open() {
  inotify_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  stop_event_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (inotify_ < 0 || stop_event_ < 0) {
    return Error{fmt::format("cannot watch files: {}", std::strerror(errno)), ""};
  }
  return refresh();
}

Status PathWatch::refresh() {
  for (const std::string& path : paths_) {
    std::error_code problem;
    const fs::path whole = fs::absolute(path, problem).lexically_normal();
    const fs::path named = whole.has_filename() ? whole : whole.parent_path();
    if (const Status parent = watch(named.parent_path().string(), named.filename().string());
        !parent) {
      return parent;
    }
    if (!fs::is_directory(named, problem)) continue;
    if (const Status own = watch(named.string(), ""); !own) return own;
    fs::recursive_directory_iterator below(named, problem);
    for (; !problem && below != fs::recursive_directory_iterator(); below.increment(problem)) {
      std::error_code gone;
      if (!below->is_directory(gone)) continue;
      if (const Status own = watch(below->path().string(), ""); !own) return own;
    }
  }
  return Done{};
}

bool PathWatch::wait(milliseconds quiet) {
  while (true) {
    const Ready first = wait_for(inotify_, stop_event_, -1);
    if (first == Ready::stop) return false;
    if (first == Ready::changes && take_events()) break;
  }
  const auto latest = steady_clock::now() + 10 * quiet;
  while (steady_clock::now() < latest) {
    const Ready next = wait_for(inotify_, stop_event_, static_cast<int>(quiet.count()));
    if (next == Ready::stop) return false;
    if (next == Ready::neither) break;
    take_events();
  }
  return true;
}

void PathWatch::stop() {
  const std::uint64_t one = 1;
  // The write can fail only if the counter is full; it is readable then.
  [[maybe_unused]] const auto written = ::write(stop_event_, &one, sizeof one);
}

Status PathWatch::watch(const std::string& directory, const std::string& only) {
  const int id = ::inotify_add_watch(inotify_, directory.c_str(), kEvents);
  if (id < 0) {
    // Gone in between; an event of its parent reports its return.
    if (errno == ENOENT) return Done{};
    return Error{fmt::format("cannot watch directory: {}", std::strerror(errno)), directory};
  }
  if (only.empty()) {
    whole_.insert(id);
  } else {
    parents_[id].insert(only);
  }
  return Done{};
}

bool PathWatch::take_events() {
  bool ours = false;
  alignas(inotify_event) std::array<char, 16 * 1024> buffer;
  while (true) {
    const ssize_t size = ::read(inotify_, buffer.data(), buffer.size());
    if (size <= 0) return ours;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      at += sizeof event + event.len;
      const auto parent = parents_.find(event.wd);
      ours = ours || (event.mask & IN_Q_OVERFLOW) != 0 || whole_.contains(event.wd) ||
             (parent != parents_.end() && event.len > 0 && parent->second.contains(name));
      if ((event.mask & IN_IGNORED) != 0) {
        whole_.erase(event.wd);
        parents_.erase(event.wd);
      }
    }
  }
}

}  // namespace berth::embedded
