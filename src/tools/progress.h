#pragma once

#include <chrono>
#include <string>

#include "tools/console.h"

namespace berth::tools {

// A progress line on a terminal, shown after one second. Silent elsewhere.
class Progress {
 public:
  explicit Progress(Console& console)
      : console_(console), next_(std::chrono::steady_clock::now() + kPatience) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& text);
  void clear();

 private:
  static constexpr std::chrono::milliseconds kPatience{1000};
  static constexpr std::chrono::milliseconds kInterval{100};

  Console& console_;
  std::chrono::steady_clock::time_point next_;
  bool is_shown_ = false;
};

}  // namespace berth::tools
