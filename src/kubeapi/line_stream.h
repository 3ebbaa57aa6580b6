#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "kubeapi/rest_client.h"
#include "kubeapi/transport.h"

namespace berth::kubeapi {

// Cuts bytes into lines. The end of the last line is kept for the next bytes.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t line_max) : line_max_(line_max) {}

  // Drops empty lines and carriage returns. False if a line is too long.
  bool feed(std::string_view bytes, const std::function<void(std::string_view)>& on_line);

 private:
  std::size_t line_max_;
  std::string rest_;
};

// A hand-over from the transport's threads, one part of the body at a time, to the one thread that
// reads it. The transport and the reader own it together.
class LineStream final : public AnswerSink {
 public:
  void head(const AnswerHead& head) override;
  void body(std::string_view bytes, std::function<void(bool)> resume) override;
  void end(const std::string& error) override;

  // Ends read() with that error. Any thread; the first call counts.
  void interrupt(std::string error);

  // Called once, by one thread. Returns the same as RestClient::stream(). The exchange may still be
  // running.
  Response read(const Request& request, const RestOptions& limits,
                const std::function<void(std::string_view)>& on_frame);

  // Releases the current part and refuses further ones. Called after read().
  void close();
  // True once the transport has finished with this object.
  bool wait_for_end(Duration timeout);

 private:
  bool wait_for_part(std::unique_lock<std::mutex>& lock, Duration timeout);
  Response read_frames(std::unique_lock<std::mutex>& lock, const Request& request,
                       const RestOptions& limits,
                       const std::function<void(std::string_view)>& on_frame);
  Response read_whole(std::unique_lock<std::mutex>& lock, const Request& request,
                      const RestOptions& limits);
  void give_back(std::unique_lock<std::mutex>& lock, bool go_on);

  std::mutex mutex_;
  std::condition_variable news_;
  AnswerHead head_;
  bool has_part_ = false;
  std::string_view part_;
  std::function<void(bool)> resume_;
  bool is_closed_ = false;
  std::optional<std::string> ended_;        // by the transport
  std::optional<std::string> interrupted_;  // by us
  bool is_silent_ = false;                  // interrupted, since no byte came in time
};

}  // namespace berth::kubeapi
