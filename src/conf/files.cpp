#include "conf/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace berth::conf {

namespace {

// Owns a file descriptor and closes it.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  const int value_;
};

}  // namespace

Result<std::string> read_regular_file(const std::string& path, std::size_t most) {
  const auto failed = [&](const std::string& why) { return Error{"cannot be read: " + why, path}; };
  const auto by_errno = [&] {
    return failed(std::error_code(errno, std::generic_category()).message());
  };
  // Non-blocking, because a pipe without a writer would block.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (file.value() < 0 || ::fstat(file.value(), &status) != 0) return by_errno();
  if (S_ISDIR(status.st_mode)) return failed("Is a directory");
  if (!S_ISREG(status.st_mode)) return failed("it is a pipe or a device, expected a file");
  std::string text;
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    const ssize_t count = ::read(file.value(), text.data() + before, kChunk);
    if (count < 0 && errno != EINTR) return by_errno();
    text.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (text.size() > most) {
      return failed("it is longer than " + std::to_string(most) + " bytes");
    }
    if (count == 0) return text;
  }
}

}  // namespace berth::conf
