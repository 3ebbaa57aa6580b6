#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conf/config.h"
#include "conf/source.h"
#include "conf/watch.h"

namespace berth::daemon {

// The names that this version knows: registered actions and plugins, and points.
conf::KnownNames known_names();

// The configuration in force: read once, then followed. A bad change keeps the last good one, is
// counted and logged. Any thread, but for the callbacks.
class Configuration {
 public:
  struct Callbacks {
    std::function<void(const conf::Config&)> adopt;    // a good change; on the watch's thread
    std::function<void(const std::string&)> complain;  // a bad one
  };

  // An empty `file` is the built-in default, which never changes.
  static Result<std::unique_ptr<Configuration>> open(const std::string& file);
  void follow(Callbacks callbacks);
  // Returns when no callback will come any more. Idempotent; not from a callback.
  void unfollow();

  std::shared_ptr<const conf::Config> current() const;
  // Keys whose present values differ from those at the start, which stay in force until the next.
  std::vector<std::string> waiting_for_restart() const;
  // The effective configuration for /configz: where it is from, the last complaint, the text.
  std::string describe() const;

 private:
  Configuration() = default;

  std::string file_;
  std::unique_ptr<conf::ConfigSource> source_;  // null: the built-in default
  std::shared_ptr<const conf::Config> first_;   // in force at the start
  std::unique_ptr<conf::FileWatch> watch_;
};

}  // namespace berth::daemon
