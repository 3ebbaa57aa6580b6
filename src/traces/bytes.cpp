#include "traces/bytes.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

namespace berth::traces {

namespace {

constexpr std::size_t kBuffer = 64UL * 1024;

class FileBytes final : public ByteSource {
 public:
  FileBytes(std::ifstream stream, std::string path)
      : stream_(std::move(stream)), path_(std::move(path)) {}

  Result<std::size_t> read(std::span<char> to) override {
    if (stream_.eof()) return std::size_t{0};
    errno = 0;
    stream_.read(to.data(), static_cast<std::streamsize>(to.size()));
    if (!stream_ && !stream_.eof()) return Error{"cannot be read: " + reason_of(errno), path_};
    return static_cast<std::size_t>(stream_.gcount());
  }

  static std::string reason_of(int code) {
    return std::error_code(code, std::generic_category()).message();
  }

 private:
  std::ifstream stream_;
  std::string path_;
};

Error broken_gzip(const char* reason) {
  return Error{"broken gzip (" + std::string(reason == nullptr ? "no gzip" : reason) +
                   "), expected gzip as it was written",
               ""};
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) {
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Error{"cannot be read: " + FileBytes::reason_of(errno), path};
  return std::unique_ptr<ByteSource>(std::make_unique<FileBytes>(std::move(stream), path));
}

Unzipped::Unzipped(ByteSource& packed) : packed_(packed), buffer_(kBuffer) {}

Unzipped::~Unzipped() {
  if (stream_ != nullptr) inflateEnd(stream_.get());
}

Result<std::size_t> Unzipped::read(std::span<char> to) {
  if (failure_) return *failure_;
  if (!has_begun_) {
    if (const Status begun = begin(); !begun) return begun.error();
  }
  return stream_ == nullptr ? read_plain(to) : read_gzip(to);
}

// TRACE-1
Status Unzipped::begin() {
  while (end_ < 2 && !has_ended_) {
    if (const Status filled = fill(); !filled) return filled;
  }
  has_begun_ = true;
  if (end_ < 2 || buffer_[0] != '\x1f' || buffer_[1] != '\x8b') return Done{};
  auto stream = std::make_unique<z_stream_s>();
  constexpr int kGzip = 16;  // added to the size of the window
  BERTH_CHECK(inflateInit2(stream.get(), MAX_WBITS + kGzip) == Z_OK);
  stream_ = std::move(stream);
  return Done{};
}

// Adds packed bytes behind those that are there.
Status Unzipped::fill() {
  const auto size = packed_.read(std::span(buffer_).subspan(end_));
  if (!size) return *(failure_ = size.error());
  end_ += *size;
  has_ended_ = *size == 0;
  return Done{};
}

Result<std::size_t> Unzipped::read_plain(std::span<char> to) {
  if (next_ == end_) return packed_.read(to);
  const std::size_t size = std::min(to.size(), end_ - next_);
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(next_), size, to.begin());
  next_ += size;
  return size;
}

Result<std::size_t> Unzipped::read_gzip(std::span<char> to) {
  while (true) {
    std::size_t made = 0;
    if (const Status done = inflate_into(to, made); !done) failure_ = done.error();
    if (made > 0) return made;  // what comes before a fault is given out first
    if (failure_) return *failure_;
    if (next_ < end_) continue;
    next_ = end_ = 0;
    if (const Status filled = fill(); !filled) return filled.error();
    if (next_ < end_) continue;
    if (is_between_members_) return std::size_t{0};
    return *(failure_ = broken_gzip("it ends too early"));
  }
}

// One step of zlib. It may give out bytes without new packed ones.
Status Unzipped::inflate_into(std::span<char> to, std::size_t& made) {
  if (is_between_members_) {
    if (next_ == end_) return Done{};
    BERTH_CHECK(inflateReset(stream_.get()) == Z_OK);
    is_between_members_ = false;
  }
  stream_->next_in = reinterpret_cast<Bytef*>(buffer_.data() + next_);
  stream_->avail_in = static_cast<uInt>(end_ - next_);
  stream_->next_out = reinterpret_cast<Bytef*>(to.data());
  stream_->avail_out = static_cast<uInt>(to.size());
  const int result = inflate(stream_.get(), Z_NO_FLUSH);
  next_ = end_ - stream_->avail_in;
  made = to.size() - stream_->avail_out;
  is_between_members_ = result == Z_STREAM_END;
  if (result == Z_OK || result == Z_STREAM_END) return Done{};
  // Nothing to do without more packed bytes.
  if (result == Z_BUF_ERROR && next_ == end_) return Done{};
  return broken_gzip(stream_->msg);
}

}  // namespace berth::traces
