#include "tools/progress.h"

namespace berth::tools {

namespace {

constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

void Progress::show(const std::string& text) {
  if (!console_.err_is_terminal) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  is_shown_ = true;
  console_.err << kEraseLine << text << std::flush;
}

void Progress::clear() {
  if (is_shown_) console_.err << kEraseLine << std::flush;
  is_shown_ = false;
}

}  // namespace berth::tools
