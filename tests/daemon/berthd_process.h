#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "http/http_client.h"

namespace berth::daemon {

// The real berthd on a free port of loopback, its output and its exit. A test
// waits at most `kPatience` for anything.
class BerthdProcess {
 public:
  static constexpr std::chrono::seconds kPatience{60};

  // "--listen 127.0.0.1:0" is added unless `arguments` say where to listen.
  explicit BerthdProcess(std::vector<std::string> arguments);
  ~BerthdProcess();  // kills it, if it still runs; a sanitizer's report fails the test
  BerthdProcess(const BerthdProcess&) = delete;
  BerthdProcess& operator=(const BerthdProcess&) = delete;

  // Waits for a line that contains `part`; false if there is none in time or at its end.
  bool says(const std::string& part);
  // Whether it has printed so already.
  bool has_printed(const std::string& part);
  std::size_t count_of_lines(const std::string& part);
  std::string printed();  // everything so far

  // Asks until it is so; between two questions it waits for another line or a moment.
  bool eventually(const std::function<bool()>& is_so);

  // Waits until it listens; 0 if it ends before.
  std::uint16_t port();
  http::Reply get(const std::string& path);
  http::Reply post(const std::string& path, const std::string& body);
  http::Reply exchange(const std::string& method, const std::string& path);
  // The value of "name{labels}" in /metrics; 0 if it is not there.
  double metric(const std::string& series);

  void send_signal(int signal) const;
  // Waits for its end; none if it does not come in time. -1: ended by a signal.
  std::optional<int> exit_code(std::chrono::seconds patience = kPatience);

 private:
  void spawn(std::vector<std::string> arguments);
  void read();
  http::HttpClient& client();

  pid_t pid_ = 0;
  int output_ = -1;
  std::mutex mutex_;  // guards the three below
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  bool has_ended_ = false;
  int exit_code_ = -1;
  std::thread reader_;
  std::unique_ptr<http::HttpClient> client_;
};

}  // namespace berth::daemon
