#pragma once

#include <string>

namespace berth::telemetry {

inline bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

}  // namespace berth::telemetry
