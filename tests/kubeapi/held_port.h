#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace berth::kubeapi::testing {

// A port of 127.0.0.1 in front of a server. It accepts connections, and reads and passes nothing on
// until the test opens it, as a server that stands still. A buffer is small, so a long request
// stays with its sender.
class HeldPort {
 public:
  // `server` 0: what comes after opening is kept, for received().
  explicit HeldPort(unsigned short server);
  ~HeldPort();
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;

  unsigned short port() const { return port_; }
  bool wait_for_connection();  // false after 20 s without one
  void open();
  // All that came, when the sender has closed; empty after 20 s without an end.
  std::string received();

 private:
  void accept();
  void serve(int client);
  void pump(int from, int to);

  const unsigned short server_;
  int listener_ = -1;
  unsigned short port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
  bool is_stopping_ = false;
  bool has_ended_ = false;
  int connections_ = 0;
  std::string received_;
  std::vector<int> sockets_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace berth::kubeapi::testing
