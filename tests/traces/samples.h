#pragma once

#include <zlib.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "berth/base/check.h"
#include "traces/bytes.h"

namespace berth::traces {

// One member of gzip.
inline std::string gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kGzip = 16;
  BERTH_CHECK(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, 8,
                           Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  BERTH_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// The bytes of a text, which must outlive it.
class TextBytes final : public ByteSource {
 public:
  explicit TextBytes(std::string_view text) : rest_(text) {}
  Result<std::size_t> read(std::span<char> to) override {
    const std::size_t size = rest_.copy(to.data(), to.size());
    rest_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view rest_;
};

// Gives a text out a few bytes at a time.
class Trickle final : public ByteSource {
 public:
  Trickle(std::string_view text, std::size_t most) : rest_(text), most_(most) {}
  Result<std::size_t> read(std::span<char> to) override {
    return rest_.read(to.first(std::min(to.size(), most_)));
  }

 private:
  TextBytes rest_;
  std::size_t most_;
};

}  // namespace berth::traces
