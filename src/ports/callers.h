#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace berth::ports {

// The namespaces of which a caller sees names.
struct SeenNamespaces {
  bool is_all = false;
  std::set<std::string, std::less<>> names = {};  // without is_all

  bool has(std::string_view name) const { return is_all || names.contains(name); }
};

// A caller who may get a page, but not every name on it. Any thread.
class Viewer {
 public:
  using Done = std::function<void(std::shared_ptr<const SeenNamespaces> seen)>;

  virtual ~Viewer() = default;
  // Which of these does he see? Returns at once. `done` runs exactly once, inside this call or
  // later, on any thread; it must not block. A namespace that nobody could answer for is not seen.
  virtual void see(std::set<std::string> namespaces, Done done) = 0;
};

// An answer about a caller, as a status of HTTP: 200, he may; 401, nobody knows him; 403, he may
// not; 503, nobody could say.
struct CallerVerdict {
  int status = 200;
  std::string why = {};                 // for the caller; empty with 200
  std::shared_ptr<Viewer> viewer = {};  // of 200; null: he sees no names
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
