#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"

namespace berth::forecast {

// By what runs are alike, the closest first: the job's template; its namespace, size and limit; its
// queue. Empty ones are passed over.
using RunKeys = std::array<std::string, 3>;

struct LearnedRun {
  Duration median{};
  std::size_t runs = 0;   // that it is the median of
  std::size_t level = 0;  // of the key that they have in common
};

// RUNS-1 to RUNS-4. How long jobs ran, by what they have in common. Bounded: of each key the last
// runs, of all keys those that were used last. Not thread-safe.
class RunTimes {
 public:
  static constexpr std::size_t kRunsMost = 20;    // of a key
  static constexpr std::size_t kKeysMost = 4096;  // of all levels

  void learn(const RunKeys& keys, Duration run);
  // Of a job that has run for so long already. None: no key has enough runs that were longer.
  std::optional<LearnedRun> expect(const RunKeys& keys, Duration elapsed) const;

  std::size_t size() const { return histories_.size(); }

  // As JSON, the keys that were used last first, for restore(). At most so many bytes.
  std::string save(std::size_t bytes_most) const;
  // Takes the place of all that is there. An Error says where the text is bad, and nothing changes.
  Status restore(const std::string& text);

 private:
  struct History {
    std::vector<std::int64_t> seconds;  // the oldest first
    std::list<std::string>::iterator used;
  };

  History& history_of(const std::string& key);

  std::unordered_map<std::string, History> histories_;  // look-up only
  std::list<std::string> used_;                         // the last one first
};

// RUNS-3. Never more than the limit. A job that has outrun all that is known goes on for as long
// again, and one of which nothing is known runs to its limit. None: nobody knows.
std::optional<Duration> expected_run(const RunTimes& times, const RunKeys& keys,
                                     std::optional<Duration> limit, Duration elapsed);

}  // namespace berth::forecast
