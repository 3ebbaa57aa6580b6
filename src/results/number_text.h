#pragma once

#include <cstdint>
#include <string>

// Numbers for people. All of these take any double; not finite is 0.

namespace berth::results {

// "0 s", "0.25 s", "4.2 s", "35 s", "12m30s", "1h23m", "2d4h": two units at most.
std::string duration_text(double seconds);
// "1,234,567"
std::string count_text(std::int64_t count);
// "0.07", "4.2", "83", "12,345": three digits, or all before the point.
std::string number_text(double number);
// "83.1 %", "100.0 %"
std::string percent_text(double share);

}  // namespace berth::results
