#pragma once

#include <functional>
#include <string>

namespace berth::ports {

// An answer about a caller, as a status of HTTP: 200, he may; 401, nobody knows him; 403, he may
// not; 503, nobody could say.
struct CallerVerdict {
  int status = 200;
  std::string why = {};  // for the caller; empty with 200
};

// Asks the API server about callers of pages. Any thread.
class Callers {
 public:
  using Done = std::function<void(const CallerVerdict& verdict)>;

  virtual ~Callers() = default;
  // May the bearer of this token get the page with this path? Returns at once. `done` runs exactly
  // once, inside this call or later, on any thread; it must not block.
  virtual void ask(const std::string& token, const std::string& path, Done done) = 0;
};

}  // namespace berth::ports
