#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "berth/base/result.h"

namespace berth::tools {

// A `kubectl port-forward` that runs until this ends. It has the user's credentials, and the ways
// of kubectl to the kubelet.
class Forward {
 public:
  // `arguments`: of kubectl. Waits until it forwards. An Error has what kubectl printed.
  static Result<std::unique_ptr<Forward>> start(const std::vector<std::string>& arguments);
  ~Forward();
  Forward(const Forward&) = delete;
  Forward& operator=(const Forward&) = delete;

  std::uint16_t port() const { return port_; }  // at 127.0.0.1
  bool has_ended() const;

 private:
  Forward(pid_t child, int output);
  void read();
  void take(const std::string& line);

  const pid_t child_;
  const int output_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable news_;
  std::uint16_t port_ = 0;
  bool has_ended_ = false;
  std::string printed_;  // its last lines
  std::thread reader_;
};

}  // namespace berth::tools
