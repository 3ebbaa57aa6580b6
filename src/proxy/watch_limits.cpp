#include "proxy/watch_limits.h"

#include <algorithm>

#include "berth/base/number.h"
#include "proxy/query.h"

namespace berth::proxy {
namespace {

constexpr std::size_t kLongestSeconds = 10 * 365 * 86'400;  // no overflow

Steady::duration steady(Duration duration) {
  return std::chrono::duration_cast<Steady::duration>(duration);
}

// Zero, and what is no number, ask for no end.
std::optional<std::chrono::seconds> length_of(const Request& request) {
  const auto text = query_value(request.target, "timeoutSeconds");
  const std::size_t length = parse_number<std::size_t>(text.value_or("")).value_or(0);
  if (length == 0) return std::nullopt;
  return std::chrono::seconds(std::min(length, kLongestSeconds));
}

}  // namespace

WatchLimits::WatchLimits(const Request& request, const Options& options, Steady::time_point now)
    : slack_(steady(options.watch_slack)),
      silence_(steady(options.watch_silence)),
      has_bookmarks_(is_set(request.target, "allowWatchBookmarks")),
      heard_at_(now) {
  if (const auto length = length_of(request)) due_ = now + *length;
}

void WatchLimits::resumed(Steady::time_point now) {
  heard_at_ = now;
  if (due_) due_ = std::max(*due_, now);
}

std::string WatchLimits::fault(Steady::time_point now) const {
  if (has_bookmarks_ && now - heard_at_ > silence_) return "no sign of life in a watch";
  return due_ && now - *due_ > slack_ ? "a watch that does not end in time" : "";
}

}  // namespace berth::proxy
