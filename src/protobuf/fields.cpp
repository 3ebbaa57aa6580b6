#include "protobuf/fields.h"

#include <algorithm>
#include <limits>

namespace berth::protobuf {

namespace {

using google::protobuf::io::CodedOutputStream;

enum WireType : std::uint32_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

int checked_size(std::string_view message) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(message.size(), kMost));
}

}  // namespace

Fields::Fields(std::string_view message)
    : message_(message),
      stream_(reinterpret_cast<const std::uint8_t*>(message.data()), checked_size(message)) {}

bool Fields::next(Field& field) {
  start_ = position();
  if (is_malformed_ || start_ == message_.size()) return false;
  const std::uint32_t tag = stream_.ReadTag();
  field = Field{};
  field.number = tag >> 3;
  if (field.number == 0 || !read_content(tag & 7, field)) {
    is_malformed_ = true;
    return false;
  }
  field.whole = message_.substr(start_, position() - start_);
  return true;
}

// Kubernetes has no groups.
bool Fields::read_content(std::uint32_t wire_type, Field& field) {
  std::uint32_t size = 0;
  switch (wire_type) {
    case WireType::varint:
      return stream_.ReadVarint64(&field.value);
    case WireType::fixed64:
      return stream_.Skip(8);
    case WireType::fixed32:
      return stream_.Skip(4);
    case WireType::bytes:
      if (!stream_.ReadVarint32(&size) || size > message_.size() - position()) return false;
      field.content = message_.substr(position(), size);
      return stream_.Skip(static_cast<int>(size));
    default:
      return false;
  }
}

void append_field_head(std::string& out, std::uint32_t number, std::size_t content) {
  std::uint8_t head[20];
  std::uint8_t* end = CodedOutputStream::WriteVarint32ToArray(number << 3 | WireType::bytes, head);
  end = CodedOutputStream::WriteVarint64ToArray(content, end);
  out.append(reinterpret_cast<const char*>(head), static_cast<std::size_t>(end - head));
}

void append_field(std::string& out, std::uint32_t number, std::string_view content) {
  append_field_head(out, number, content.size());
  out += content;
}

}  // namespace berth::protobuf
