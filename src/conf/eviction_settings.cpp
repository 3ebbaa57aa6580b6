#include "conf/eviction_settings.h"

#include <charconv>
#include <string>

#include "conf/known_keys.h"

namespace berth::conf {

using document::Cursor;

namespace {

constexpr std::int64_t kPodsMost = 1'000'000;

// "5%"
std::int64_t read_share(const Cursor& at, std::int64_t fallback) {
  if (!at.is_present()) return fallback;
  const std::string text = at.scalar();
  std::int64_t percent = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, percent);
  const bool is_share = fault == std::errc() && rest + 1 == end && *rest == '%';
  if (is_share && percent >= 0 && percent <= 100) return percent;
  at.complain("\"" + text + "\" is no share, expected whole percents from 0% to 100%");
  return fallback;
}

void read_limit(document::Reading& reading, const Cursor& from, std::string_view section,
                engine::EvictionLimit& to) {
  require_known_keys(reading, from, section);
  to.pods = from["pods"].integer(to.pods, 1, kPodsMost);
  to.percent = read_share(from["share"], to.percent);
}

}  // namespace

void read_eviction_limits(document::Reading& reading, const Cursor& from,
                          engine::EvictionLimits& to) {
  require_known_keys(reading, from, "evictionLimit");
  read_limit(reading, from["cluster"], "evictionLimit.cluster", to.cluster);
  read_limit(reading, from["queue"], "evictionLimit.queue", to.queue);
}

}  // namespace berth::conf
