#include "forecast/run_times.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "document/readers.h"
#include "forecast/saved.h"

namespace berth::forecast {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRunsLeast = 2;  // that say anything
constexpr std::int64_t kSecondsMost = 10LL * 366 * 24 * 3600;

std::string with_level(std::size_t level, const std::string& key) {
  return std::to_string(level) + ":" + key;
}

Duration median_of(std::vector<std::int64_t> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const std::size_t half = seconds.size() / 2;
  const std::int64_t middle =
      seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  return std::chrono::seconds(middle);
}

}  // namespace

RunTimes::History& RunTimes::history_of(const std::string& key) {
  const auto [entry, is_new] = histories_.try_emplace(key);
  if (is_new) {
    used_.push_front(key);
    entry->second.used = used_.begin();
  } else {
    used_.splice(used_.begin(), used_, entry->second.used);
  }
  if (histories_.size() > kKeysMost) {
    histories_.erase(used_.back());
    used_.pop_back();
  }
  return entry->second;
}

void RunTimes::learn(const RunKeys& keys, Duration run) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(run).count();
  for (std::size_t level = keys.size(); level-- > 0;) {
    if (keys[level].empty()) continue;
    std::vector<std::int64_t>& runs = history_of(with_level(level, keys[level])).seconds;
    if (runs.size() == kRunsMost) runs.erase(runs.begin());
    runs.push_back(std::clamp<std::int64_t>(seconds, 0, kSecondsMost));
  }
}

std::optional<LearnedRun> RunTimes::expect(const RunKeys& keys, Duration elapsed) const {
  for (std::size_t level = 0; level < keys.size(); ++level) {
    const auto history = histories_.find(with_level(level, keys[level]));
    if (keys[level].empty() || history == histories_.end()) continue;
    std::vector<std::int64_t> longer;
    for (const std::int64_t seconds : history->second.seconds) {
      if (std::chrono::seconds(seconds) > elapsed || elapsed == Duration())
        longer.push_back(seconds);
    }
    if (longer.size() < (elapsed == Duration() ? kRunsLeast : 1)) continue;
    const std::size_t runs = longer.size();
    return LearnedRun{median_of(std::move(longer)), runs, level};
  }
  return std::nullopt;
}

std::optional<Duration> expected_run(const RunTimes& times, const RunKeys& keys,
                                     std::optional<Duration> limit, Duration elapsed) {
  const auto learned = times.expect(keys, elapsed);
  std::optional<Duration> run;
  if (learned) {
    run = learned->median;
  } else if (elapsed > Duration() && times.expect(keys, Duration())) {
    run = 2 * elapsed;
  }
  if (!run) return limit;
  return limit ? std::min(*limit, *run) : *run;
}

std::string RunTimes::save(std::size_t bytes_most) const {
  constexpr std::size_t kFrame = 64;
  Json keys = Json::array();
  std::size_t bytes = kFrame;
  for (const std::string& key : used_) {
    Json entry{{"key", key}, {"seconds", histories_.at(key).seconds}};
    bytes += entry.dump(-1, ' ', false, Json::error_handler_t::replace).size() + 1;
    if (bytes > bytes_most) break;
    keys.push_back(std::move(entry));
  }
  return Json{{"version", 1}, {"runs", std::move(keys)}}.dump(-1, ' ', false,
                                                              Json::error_handler_t::replace);
}

Status RunTimes::restore(const std::string& text) {
  constexpr const char* kSource = "run times";
  const Result<document::Value> value = document::parse_json(text, kSource);
  if (!value) return value.error();
  document::Reading reading(*value, kSource);
  const document::Cursor root = reading.root();
  require_version(root);
  const std::vector<document::Cursor> runs = root["runs"].items();
  RunTimes read;
  for (auto entry = runs.rbegin(); entry != runs.rend(); ++entry) {
    History& history = read.history_of((*entry).required_text("key"));
    history.seconds.clear();
    for (const document::Cursor& each : (*entry)["seconds"].items()) {
      history.seconds.push_back(each.integer(0, 0, kSecondsMost));
    }
    if (history.seconds.size() > kRunsMost) (*entry)["seconds"].complain("expected fewer runs");
  }
  if (reading.failed()) return reading.error();
  histories_.swap(read.histories_);
  used_.swap(read.used_);  // a swapped list keeps its iterators
  return Done{};
}

}  // namespace berth::forecast
