#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/checkout.h"
#include "tools/berth_process.h"

// docs/reservations.md says what the example does: the same work under each lock.

namespace berth::tools::reservation_example_test {
namespace {

using nlohmann::json;

const std::string kDocument = support::source_file("docs/reservations.md");
const std::string kExample = support::source_file("docs/examples/reservation");
constexpr const char* kBig = "ml/big";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The example's configuration with another lock; empty: without reservation.
std::string configuration(const std::string& lock) {
  const std::string text = read_text(kExample + "/reservation.conf");
  if (!lock.empty()) return replaced(text, "lock: multi-node", "lock: " + lock);
  return replaced(text, "elect, enqueue, reserve, allocate", "enqueue, allocate");
}

std::string run_example(const std::string& command, const std::string& config, std::size_t cycles,
                        const std::string& form, const std::string& cluster = kExample) {
  const Outcome outcome =
      run_program({command, "--cluster", cluster, "--config", config, "--cycles",
                   std::to_string(cycles), "--now", "2026-11-21T09:00:00Z", "-o", form});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.out;
}

json plan_with(const std::string& text, const std::string& cluster = kExample) {
  constexpr std::size_t kCycles = 180;
  const TemporaryDirectory directory;
  return json::parse(
      run_example("plan", directory.write("test.conf", text), kCycles, "json", cluster));
}

json plan_under(const std::string& lock) { return plan_with(configuration(lock)); }

// Each limit of the stream is that of the example, times so much.
std::string stream_with(int factor) {
  const std::string key = "berth.dev/time-limit: ";
  std::string text = read_text(kExample + "/3-stream.yaml");
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
    at += key.size();
    const std::size_t end = text.find('s', at);
    text.replace(at, end - at, std::to_string(factor * std::stoi(text.substr(at, end - at))));
  }
  return text;
}

json plan_with_limits(const std::string& lock, const std::string& order, int factor) {
  std::string text = read_text(kExample + "/limits.conf");
  text = replaced(text, "lock: multi-node", "lock: " + lock);
  text = replaced(text, "lock-order: ends", "lock-order: " + order);
  const TemporaryDirectory objects;
  for (const char* file : {"1-nodes.yaml", "2-big.yaml"}) {
    objects.write(file, read_text(kExample + "/" + file));
  }
  objects.write("3-stream.yaml", stream_with(factor));
  return plan_with(text, objects.path().string());
}

std::string idle_core_seconds(const json& summary) {
  const json& held = summary["idleRoomSeconds"];
  return held.contains("cpu") ? held["cpu"].get<std::string>() : "0";
}

// The row of a table, behind its name.
std::string row_of(const std::string& name, const json& plan) {
  const json& summary = plan["summary"];
  std::size_t most_locked = 0;
  for (const json& cycle : plan["cycles"]) {
    most_locked = std::max(most_locked, cycle["locks"].size());
  }
  std::string big;
  double sum = 0;
  double longest = 0;
  std::size_t started = 0;
  std::size_t others = 0;
  for (const json& job : summary["jobs"]) {
    const double waited = job["waitSeconds"];
    if (job["job"] == kBig) {
      big = job["startedInCycle"].is_null()
                ? fmt::format("not in {} cycles", job["waitCycles"].get<std::size_t>())
                : fmt::format("{} s, {} cycles", waited, job["waitCycles"].get<std::size_t>());
      continue;
    }
    ++others;
    sum += waited;
    longest = std::max(longest, waited);
    started += job["startedInCycle"].is_null() ? 0 : 1;
  }
  const double used = 100 * summary["utilisation"]["cpu"].get<double>();
  return fmt::format("| {} | {} | {} | {} | {:.1f}% | {} of {} | {:.1f} s | {} s |", name, big,
                     most_locked, idle_core_seconds(summary), used, started, others,
                     sum / static_cast<double>(others), longest);
}

class EachLock : public testing::TestWithParam<std::string> {};

TEST_P(EachLock, DoesWhatTheDocumentSays) {
  const std::string name = GetParam().empty() ? "none" : "`" + GetParam() + "`";
  const std::string row = row_of(name, plan_under(GetParam()));
  EXPECT_NE(read_text(kDocument).find(row), std::string::npos)
      << "expected in " << kDocument << ":\n"
      << row;
}

struct Limits {
  const char* lock;
  const char* order;
};

class EachLockWithLimits : public testing::TestWithParam<Limits> {};

TEST_P(EachLockWithLimits, DoesWhatTheDocumentSays) {
  const auto& [lock, order] = GetParam();
  for (const int factor : {1, 2}) {
    const std::string name =
        fmt::format("`{}` | `{}` | {}", lock, order, factor == 1 ? "exact" : "twice the run time");
    const std::string row = row_of(name, plan_with_limits(lock, order, factor));
    EXPECT_NE(read_text(kDocument).find(row), std::string::npos)
        << "expected in " << kDocument << ":\n"
        << row;
  }
}

// With limits that are exact, the gang starts as soon as under `cluster` without them, or sooner,
// and locks keep less than half as much idle.
TEST(ReservationExample, LimitsHalveWhatLocksKeepIdle) {
  const json without = plan_under("cluster");
  const json with = plan_with_limits("multi-node", "ends", 1);
  const auto wait_of_big = [](const json& plan) {
    for (const json& job : plan["summary"]["jobs"]) {
      if (job["job"] == kBig) return job["waitSeconds"].get<double>();
    }
    return -1.0;
  };
  EXPECT_GT(wait_of_big(with), 0);
  EXPECT_LE(wait_of_big(with), wait_of_big(without));
  EXPECT_LT(2 * std::stod(idle_core_seconds(with["summary"])),
            std::stod(idle_core_seconds(without["summary"])));
}

TEST(ReservationExample, TheDocumentShowsItInProgress) {
  constexpr std::size_t kCycles = 60;
  const std::string table =
      run_example("reservations", kExample + "/reservation.conf", kCycles, "table");
  EXPECT_NE(read_text(kDocument).find(table), std::string::npos)
      << "expected in " << kDocument << ":\n"
      << table;
}

INSTANTIATE_TEST_SUITE_P(ReservationExample, EachLock,
                         testing::Values("", "cluster", "multi-node", "single-node",
                                         "closest-fit"));

INSTANTIATE_TEST_SUITE_P(ReservationExample, EachLockWithLimits,
                         testing::Values(Limits{"cluster", "idle"}, Limits{"multi-node", "idle"},
                                         Limits{"multi-node", "ends"},
                                         Limits{"single-node", "idle"},
                                         Limits{"closest-fit", "idle"},
                                         Limits{"closest-fit", "ends"}));

}  // namespace
}  // namespace berth::tools::reservation_example_test
