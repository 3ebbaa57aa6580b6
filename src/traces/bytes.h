#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"

struct z_stream_s;

namespace berth::traces {

// Bytes that are read once, from their start.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills the start of `to`, which is not empty, and returns the number of bytes; 0 at the end.
  virtual Result<std::size_t> read(std::span<char> to) = 0;
};

Result<std::unique_ptr<ByteSource>> open_file(const std::string& path);

// TRACE-1: the bytes of another source as they are, or unpacked if they begin as gzip does.
class Unzipped final : public ByteSource {
 public:
  explicit Unzipped(ByteSource& packed);
  ~Unzipped() override;
  Result<std::size_t> read(std::span<char> to) override;

 private:
  Status begin();
  Status fill();
  Result<std::size_t> read_plain(std::span<char> to);
  Result<std::size_t> read_gzip(std::span<char> to);
  Status inflate_into(std::span<char> to, std::size_t& made);

  ByteSource& packed_;
  std::vector<char> buffer_;  // packed bytes from next_ to end_ are not used yet
  std::size_t next_ = 0;
  std::size_t end_ = 0;
  bool has_begun_ = false;
  bool has_ended_ = false;              // there are no more packed bytes
  bool is_between_members_ = true;      // a file may have several, one after the other
  std::unique_ptr<z_stream_s> stream_;  // none: plain
  std::optional<Error> failure_;
};

}  // namespace berth::traces
