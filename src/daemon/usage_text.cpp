#include "daemon/usage_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "document/cursor.h"
#include "document/readers.h"

namespace berth::daemon {

namespace {

using nlohmann::json;
using std::chrono::seconds;

constexpr const char* kFile = "fair-share";
constexpr std::size_t kBytesMost = 400'000;
constexpr double kWorthKeeping = 1e-3;
constexpr double kUsedMost = 1e12;
constexpr std::int64_t kSecondsMost = 10'000'000'000;

struct Kept {
  std::string queue;
  std::string name_space;
  double used = 0;
  TimePoint at;
};

// In thousandths, so that the text is short.
double rounded(double used) { return std::round(used * 1000) / 1000; }

Kept read_account(const document::Cursor& from) {
  const std::vector<document::Cursor> parts = from.items();
  if (parts.size() != 4) {
    from.complain("expected [queue, namespace, used, seconds since 1970]");
    return {};
  }
  const std::string used = parts[2].scalar();
  char* end = nullptr;
  const Kept kept{parts[0].text(), parts[1].text(), std::strtod(used.c_str(), &end),
                  TimePoint(seconds(parts[3].integer(0, 0, kSecondsMost)))};
  if (kept.queue.empty()) parts[0].complain("empty, expected the name of a queue");
  const bool is_number = !used.empty() && *end == '\0' && kept.used >= 0 && kept.used <= kUsedMost;
  if (!is_number) parts[2].complain("\"" + used + "\" is no number from 0 to 1e12");
  return kept;
}

}  // namespace

std::string usage_text(const UsageTable& usage, TimePoint now) {
  std::vector<std::pair<double, UsageTable::Slot>> most;
  for (UsageTable::Slot slot = 0; slot < usage.slots(); ++slot) {
    const double used = usage.used(slot, now);
    if (!usage.account(slot).queue.empty() && used >= kWorthKeeping) most.emplace_back(used, slot);
  }
  std::sort(most.begin(), most.end(), std::greater<>());
  std::string text;
  for (const auto& [used, slot] : most) {
    const UsageAccount& account = usage.account(slot);
    // As it was when it last changed, so that what nobody uses has always the same text.
    const bool is_in_use = account.share > 0;
    const TimePoint at = is_in_use ? now : account.since;
    const json entry = {account.queue, account.name_space, rounded(is_in_use ? used : account.used),
                        std::chrono::duration_cast<seconds>(at.time_since_epoch()).count()};
    const std::string line = entry.dump(-1, ' ', false, json::error_handler_t::replace);
    if (text.size() + line.size() > kBytesMost) break;
    text += (text.empty() ? "" : ",\n") + line;
  }
  return text.empty() ? text : "{\"version\":1,\"accounts\":[\n" + text + "\n]}\n";
}

Status restore_usage(std::string_view text, UsageTable& usage, TimePoint now) {
  const Result<document::Value> value = document::parse_json(std::string(text), kFile);
  if (!value) return value.error();
  document::Reading reading(*value, kFile);
  const document::Cursor root = reading.root();
  if (root["version"].integer(0, 0, kSecondsMost) != 1) {
    root["version"].complain("another version, expected 1");
  }
  if (!root["accounts"].is_present()) root["accounts"].complain("missing, expected a list");
  std::vector<Kept> all;
  for (const document::Cursor& each : root["accounts"].items()) {
    all.push_back(read_account(each));
  }
  if (reading.failed()) return reading.error();
  for (const Kept& each : all) {
    usage.raise(each.queue, each.name_space, each.used, std::min(each.at, now), now);
  }
  return Done{};
}

}  // namespace berth::daemon
