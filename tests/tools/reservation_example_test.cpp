#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "source_dir.h"
#include "tools/berth_process.h"

// docs/reservations.md says what the example does: the same work under each lock.

namespace berth::tools::reservation_example_test {
namespace {

using nlohmann::json;

const std::string kDocument = BERTH_SOURCE_DIR "/docs/reservations.md";
const std::string kExample = BERTH_SOURCE_DIR "/docs/examples/reservation";
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
                        const std::string& form) {
  const Outcome outcome =
      run_program({command, "--cluster", kExample, "--config", config, "--cycles",
                   std::to_string(cycles), "--now", "2026-11-21T09:00:00Z", "-o", form});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.out;
}

json plan_under(const std::string& lock) {
  constexpr std::size_t kCycles = 180;
  const TemporaryDirectory directory;
  return json::parse(run_example("plan", directory.write("reservation.conf", configuration(lock)),
                                 kCycles, "json"));
}

std::string idle_core_seconds(const json& summary) {
  const json& held = summary["idleRoomSeconds"];
  return held.contains("cpu") ? held["cpu"].get<std::string>() : "0";
}

// The row of the table.
std::string row_of(const std::string& lock, const json& plan) {
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
  return fmt::format("| {} | {} | {} | {} | {:.1f}% | {} of {} | {:.1f} s | {} s |",
                     lock.empty() ? "none" : "`" + lock + "`", big, most_locked,
                     idle_core_seconds(summary), used, started, others,
                     sum / static_cast<double>(others), longest);
}

class EachLock : public testing::TestWithParam<std::string> {};

TEST_P(EachLock, DoesWhatTheDocumentSays) {
  const std::string row = row_of(GetParam(), plan_under(GetParam()));
  EXPECT_NE(read_text(kDocument).find(row), std::string::npos)
      << "expected in " << kDocument << ":\n"
      << row;
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

}  // namespace
}  // namespace berth::tools::reservation_example_test
