#include "history/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "berth/base/text.h"
#include "history/lines.h"
#include "history/reader.h"
#include "traces/lines.h"

namespace berth::history {

namespace {

namespace fs = std::filesystem;

// "20261128T063704.123456789Z": by name is by time.
std::string stamp_of(TimePoint time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  std::string text;
  for (const char c : format_time(whole)) {
    if (c != '-' && c != ':' && c != 'Z') text += c;
  }
  return text + fmt::format(".{:09}Z", (time - whole).count());
}

}  // namespace

Files::Files(fs::path directory, std::uint64_t bytes, TimePoint begun)
    : directory_(std::move(directory)), bytes_(bytes), begun_(begun) {}

Files::~Files() { close(); }

void Files::remember(const Entry& entry) {
  if (entry.about.empty() || entry.line.size() > traces::kLineMost) return;
  if (entry.is_gone) {
    state_.erase(entry.about);
  } else {
    state_[entry.about] = entry.line;
  }
}

Status Files::add(const Entry& entry) {
  if (entry.line.size() > traces::kLineMost) {
    return Error{fmt::format("a line of {} bytes, expected at most {}", entry.line.size(),
                             traces::kLineMost),
                 directory_.string()};
  }
  remember(entry);
  const std::uint64_t longer = size_ + entry.line.size() + 1;
  if (file_ >= 0 && longer > bytes_ / kParts && size_ > size_of_state_) close();
  if (file_ < 0) {
    if (const Status opened = open(entry.time); !opened) return opened;
    if (!entry.about.empty() && !entry.is_gone) return Done{};  // it is in the state
  }
  if (entry.line.empty()) return Done{};
  const Status written = write(entry.line);
  if (!written) close();
  return written;
}

// Files are deleted before there is another, so that all together never have more.
Status Files::make_room() const {
  std::error_code fault;
  std::map<std::string, std::uint64_t> sizes;
  std::uint64_t sum = bytes_ / kParts;
  for (fs::directory_iterator at(directory_, fault), end; !fault && at != end;
       at.increment(fault)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kFilePrefix) || !name.ends_with(kFileSuffix)) continue;
    std::error_code gone;
    const std::uint64_t size = at->file_size(gone);
    if (!gone) sum += sizes[name] = size;
  }
  if (fault) return Error{"cannot be read: " + fault.message(), directory_.string()};
  for (const auto& [name, size] : sizes) {
    if (sum <= bytes_) break;
    if (!fs::remove(directory_ / name, fault) && fault) {
      return Error{"cannot be deleted: " + fault.message(), (directory_ / name).string()};
    }
    sum -= size;
  }
  return Done{};
}

Status Files::open(TimePoint time) {
  const std::string head = head_line(time, begun_);
  std::uint64_t least = head.size() + 1 + traces::kLineMost + 1;
  for (const auto& [about, line] : state_) least += line.size() + 1;
  if (least > bytes_ / kParts) {
    return Error{fmt::format("a file of {} bytes, an eighth of `history.size`, is too small for "
                             "all nodes and queues, expected at least {}",
                             bytes_ / kParts, least),
                 directory_.string()};
  }
  std::error_code fault;
  fs::create_directory(directory_, fault);
  if (fault) return Error{"cannot be made: " + fault.message(), directory_.string()};
  if (const Status room = make_room(); !room) return room;
  path_ = directory_ /
          fmt::format("{}{}-{:06}{}", kFilePrefix, stamp_of(begun_), ++opened_, kFileSuffix);
  constexpr int kReadable = 0640;
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kReadable);
  if (file_ < 0) return failure("made", errno);
  size_ = 0;
  Status written = write(head);
  for (const auto& [about, line] : state_) {
    if (written) written = write(line);
  }
  size_of_state_ = size_;
  if (!written) {
    ::unlink(path_.c_str());
    close();
  }
  return written;
}

Status Files::write(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t wrote = ::write(file_, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      const int code = wrote < 0 ? errno : ENOSPC;
      // If this fails, too, a reader finds the line cut (HISTORY-9).
      static_cast<void>(::ftruncate(file_, static_cast<off_t>(size_)) == 0);
      return failure("written", code);
    }
    done += static_cast<std::size_t>(wrote);
  }
  size_ += text.size();
  return Done{};
}

void Files::close() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
}

Error Files::failure(const char* what, int code) const {
  return {fmt::format("cannot be {}: {}", what,
                      std::error_code(code, std::generic_category()).message()),
          path_.string()};
}

}  // namespace berth::history
