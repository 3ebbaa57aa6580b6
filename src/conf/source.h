#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "berth/base/result.h"
#include "conf/config.h"

namespace berth::conf {

inline constexpr std::size_t kConfigMax = std::size_t{16} << 20;  // bytes of a configuration

// The configuration in force: the last valid one. Any thread.
class ConfigSource {
 public:
  // A further condition, e.g. that plugins accept their arguments.
  using Check = std::function<Status(const Config&)>;

  // Reads `file`. An invalid file is an Error, since no valid one came before it.
  static Result<std::unique_ptr<ConfigSource>> open(std::string file, KnownNames known,
                                                    Check check = {});

  std::shared_ptr<const Config> current() const;
  std::uint64_t bad_loads() const;
  std::optional<Error> last_error() const;  // of the last load; none if it was valid

  // Takes `text` as the new content of the file. Invalid text changes only the counter and the
  // error. One thread at a time.
  Status offer(const std::string& text);

 private:
  ConfigSource(std::string file, KnownNames known, Check check);

  const std::string file_;
  const KnownNames known_;
  const Check check_;

  mutable std::mutex mutex_;
  std::shared_ptr<const Config> current_;
  std::uint64_t bad_loads_ = 0;
  std::optional<Error> last_error_;
};

}  // namespace berth::conf
