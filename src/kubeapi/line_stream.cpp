#include "kubeapi/line_stream.h"

#include <utility>

#include "berth/base/text.h"
#include "protobuf/frames.h"

namespace berth::kubeapi {

bool LineSplitter::feed(std::string_view bytes,
                        const std::function<void(std::string_view)>& on_line) {
  const auto emit = [&](std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) on_line(line);
  };
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    if (rest_.size() + piece.size() > line_max_) return false;
    if (end == std::string_view::npos) {
      rest_ += piece;
      return true;
    }
    bytes.remove_prefix(end + 1);
    if (rest_.empty()) {
      emit(piece);
    } else {
      rest_ += piece;
      emit(rest_);
      rest_.clear();
    }
  }
  return true;
}

void LineStream::head(const AnswerHead& head) {
  const std::lock_guard lock(mutex_);
  head_ = head;
  news_.notify_all();
}

void LineStream::body(std::string_view bytes, std::function<void(bool)> resume) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_closed_) {
      has_part_ = true;
      part_ = bytes;
      resume_ = std::move(resume);
      news_.notify_all();
      return;
    }
  }
  resume(false);
}

void LineStream::end(const std::string& error) {
  const std::lock_guard lock(mutex_);
  ended_ = error;
  news_.notify_all();
}

void LineStream::interrupt(std::string error) {
  const std::lock_guard lock(mutex_);
  if (!interrupted_) interrupted_ = std::move(error);
  news_.notify_all();
}

// True if there is a part, or the end. False if interrupted, or if nothing came in time.
bool LineStream::wait_for_part(std::unique_lock<std::mutex>& lock, Duration timeout) {
  const bool came = news_.wait_for(
      lock, timeout, [&] { return interrupted_ || (head_.status != 0 && has_part_) || ended_; });
  if (!came) {
    interrupted_ = "no byte within " + format_duration(timeout);
    is_silent_ = true;
  }
  return !interrupted_;
}

void LineStream::give_back(std::unique_lock<std::mutex>& lock, bool go_on) {
  has_part_ = false;
  const auto resume = std::exchange(resume_, nullptr);
  lock.unlock();
  if (resume) resume(go_on);
  lock.lock();
}

Response LineStream::read_frames(std::unique_lock<std::mutex>& lock, const Request& request,
                                 const RestOptions& limits,
                                 const std::function<void(std::string_view)>& on_frame) {
  LineSplitter lines(limits.line_max);
  protobuf::Frames frames(limits.line_max);
  const auto cut = [&](std::string_view bytes) -> Status {
    if (request.format == Format::json) {
      if (lines.feed(bytes, on_frame)) return Done{};
      return Error{"a line of more than " + std::to_string(limits.line_max) + " bytes", ""};
    }
    return frames.take(bytes, [&](std::string_view frame) -> Status {
      on_frame(frame);
      return Done{};
    });
  };
  Response response;
  response.status = head_.status;
  while (true) {
    if (!wait_for_part(lock, request.idle_timeout)) {
      response.error = *interrupted_;
      response.is_silent = is_silent_;
      return response;
    }
    if (!has_part_) {
      response.error = *ended_;
      return response;
    }
    const std::string_view part = part_;
    lock.unlock();
    const Status taken = cut(part);
    lock.lock();
    give_back(lock, taken.has_value());
    if (!taken) {
      response.error = taken.error().message;
      return response;
    }
  }
}

Response LineStream::read_whole(std::unique_lock<std::mutex>& lock, const Request& request,
                                const RestOptions& limits) {
  Response response;
  response.status = head_.status;
  response.retry_after = head_.retry_after;
  while (wait_for_part(lock, request.deadline) && has_part_) {
    const bool fits = response.body.size() + part_.size() <= limits.body_max;
    if (fits) response.body += part_;
    give_back(lock, fits);
    if (!fits) break;
  }
  return response;
}

Response LineStream::read(const Request& request, const RestOptions& limits,
                          const std::function<void(std::string_view)>& on_frame) {
  std::unique_lock lock(mutex_);
  const bool came = news_.wait_for(lock, request.deadline,
                                   [&] { return interrupted_ || head_.status != 0 || ended_; });
  Response response;
  if (!came) {
    response.error = "no answer within " + format_duration(request.deadline);
  } else if (interrupted_) {
    response.error = *interrupted_;
  } else if (head_.status == 0) {
    response.error = ended_->empty() ? "no answer" : *ended_;
  } else if (is_foreign(head_, request.format)) {
    response.error =
        not_expected(request.format, head_.content_type, read_whole(lock, request, limits).body);
  } else if (head_.status == 200) {
    return read_frames(lock, request, limits, on_frame);
  } else {
    return read_whole(lock, request, limits);
  }
  return response;
}

void LineStream::close() {
  std::unique_lock lock(mutex_);
  is_closed_ = true;
  if (has_part_) give_back(lock, false);
}

bool LineStream::wait_for_end(Duration timeout) {
  std::unique_lock lock(mutex_);
  return news_.wait_for(lock, timeout, [&] { return ended_.has_value(); });
}

}  // namespace berth::kubeapi
