#pragma once

#include <chrono>
#include <map>
#include <set>

namespace berth::kubeapi {

// The sockets of libcurl's connections, and when a connection that calls share last brought an
// answer. One thread.
//
// API-2: a connection that calls share is not closed when one of them is given up. If its server is
// gone without a word, each later call would be lost on it, too.
class CurlSockets {
 public:
  using Time = std::chrono::steady_clock::time_point;

  int open(int family, int type, int protocol);  // -1: none can be had
  int close(int socket);

  // `local_port` identifies a connection.
  void note_answer(int local_port, Time now);
  // Breaks the connection if it has brought no answer since then.
  void break_if_silent(int local_port, Time since);

 private:
  std::set<int> sockets_;
  std::map<int, Time> answered_;  // by local port
};

}  // namespace berth::kubeapi
