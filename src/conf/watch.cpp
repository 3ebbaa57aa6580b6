#include "conf/watch.h"

#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "berth/base/thread_name.h"
#include "conf/files.h"
#include "conf/source.h"

namespace berth::conf {

namespace {

constexpr int kSettleMs = 50;      // quiet time that ends a burst of writes
constexpr int kRecheckMs = 5'000;  // for changes that inotify does not report
constexpr int kBurstMax = 20;      // a file that is written without a pause is read anyway

constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO |
                                  IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB;

std::string reason() { return std::error_code(errno, std::generic_category()).message(); }

}  // namespace

class FileWatch::Loop {
 public:
  Loop(std::filesystem::path file, std::string text, Callback callback)
      : file_(std::move(file)), text_(std::move(text)), callback_(std::move(callback)) {}

  ~Loop() {
    stop();
    if (inotify_ >= 0) ::close(inotify_);
    if (wake_ >= 0) ::close(wake_);
  }

  Status start() {
    inotify_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    wake_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (inotify_ < 0 || wake_ < 0 || !watch_directory()) {
      return Error{"cannot be watched: " + reason(), file_.string()};
    }
    thread_ = std::thread([this] { run(); });
    return Done{};
  }

  void stop() {
    if (!thread_.joinable()) return;
    const std::uint64_t one = 1;
    while (::write(wake_, &one, sizeof one) < 0 && errno == EINTR) {
    }
    thread_.join();
  }

 private:
  bool watch_directory() {
    const std::filesystem::path parent = file_.parent_path();
    const std::string directory = parent.empty() ? "." : parent.string();
    return ::inotify_add_watch(inotify_, directory.c_str(), kEvents) >= 0;
  }

  void drain() {
    char buffer[4096];
    while (::read(inotify_, buffer, sizeof buffer) > 0) {
    }
  }

  void run() {
    name_thread("config");
    int burst = 0;  // wake-ups since the last read
    check();        // changes from before the watch
    while (true) {
      pollfd waiting[] = {{wake_, POLLIN, 0}, {inotify_, POLLIN, 0}};
      const int ready = ::poll(waiting, 2, burst > 0 ? kSettleMs : kRecheckMs);
      if (ready < 0) continue;  // a signal
      if (waiting[0].revents != 0) return;
      if (waiting[1].revents != 0) {
        drain();
        if (++burst < kBurstMax) continue;
      }
      burst = 0;
      static_cast<void>(watch_directory());  // the same directory again, or its replacement
      check();
    }
  }

  void check() {
    // An unreadable file counts as empty, and is reported as such.
    const Result<std::string> text = read_regular_file(file_.string(), kConfigMax);
    const std::string now = text ? *text : std::string();
    if (now == text_) return;
    text_ = now;
    callback_(now);
  }

  std::filesystem::path file_;
  std::string text_;
  Callback callback_;
  int inotify_ = -1;
  int wake_ = -1;
  std::thread thread_;
};

FileWatch::FileWatch(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

FileWatch::~FileWatch() = default;

Result<std::unique_ptr<FileWatch>> FileWatch::start(const std::filesystem::path& file,
                                                    std::string text, Callback callback) {
  auto loop = std::make_unique<Loop>(file, std::move(text), std::move(callback));
  if (const Status status = loop->start(); !status) return status.error();
  return std::unique_ptr<FileWatch>(new FileWatch(std::move(loop)));
}

void FileWatch::stop() { loop_->stop(); }

}  // namespace berth::conf
