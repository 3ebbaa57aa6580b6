#include "tools/simulate/values.h"

#include "berth/base/text.h"
#include "berth/model/quantity.h"

namespace berth::tools {

Result<std::int64_t> number_of(const std::string& text, const char* flag) {
  const Result<std::int64_t> number = parse_quantity(text, Scale::one);
  if (number && *number > 0) return *number;
  return Error{"\"" + text + "\" is no number above 0", flag};
}

Result<Duration> time_of(const std::string& text, const char* flag) {
  const auto read = parse_duration(text);
  if (read && *read > Duration()) return *read;
  return Error{"\"" + text + "\" is no time above 0, such as 90s or 1h30m", flag};
}

double in_seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

}  // namespace berth::tools
