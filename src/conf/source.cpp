#include "conf/source.h"

#include <utility>

#include "conf/files.h"

namespace berth::conf {

ConfigSource::ConfigSource(std::string file, KnownNames known, Check check)
    : file_(std::move(file)), known_(std::move(known)), check_(std::move(check)) {}

Result<std::unique_ptr<ConfigSource>> ConfigSource::open(std::string file, KnownNames known,
                                                         Check check) {
  const Result<std::string> text = read_regular_file(file, kConfigMax);
  if (!text) return text.error();
  std::unique_ptr<ConfigSource> source(
      new ConfigSource(std::move(file), std::move(known), std::move(check)));
  if (const Status status = source->offer(*text); !status) return status.error();
  return source;
}

std::shared_ptr<const Config> ConfigSource::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

std::uint64_t ConfigSource::bad_loads() const {
  const std::lock_guard lock(mutex_);
  return bad_loads_;
}

std::optional<Error> ConfigSource::last_error() const {
  const std::lock_guard lock(mutex_);
  return last_error_;
}

Status ConfigSource::offer(const std::string& text) {
  Result<Config> config = load_config(text, file_, known_);
  Status status = config ? Status(Done{}) : Status(config.error());
  if (status && check_) status = check_(*config);
  const std::lock_guard lock(mutex_);
  if (!status) {
    ++bad_loads_;
    last_error_ = status.error();
    return status;
  }
  current_ = std::make_shared<const Config>(std::move(config).value());
  last_error_.reset();
  return status;
}

}  // namespace berth::conf
