#pragma once

#include <google/protobuf/io/coded_stream.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Protobuf messages read field by field, in place. A generated class would copy each pod, and lose
// where its parts are.

namespace berth::protobuf {

struct Field {
  std::uint32_t number = 0;
  std::uint64_t value = 0;   // a varint
  std::string_view content;  // a string, bytes or a message
  std::string_view whole;    // with tag and length
};

class Fields {
 public:
  explicit Fields(std::string_view message);

  // False at the end of the message, and where it is malformed.
  bool next(Field& field);
  bool is_malformed() const { return is_malformed_; }
  // The place of the next field, or of the malformed one.
  const char* place() const { return message_.data() + start_; }

 private:
  std::size_t position() const { return static_cast<std::size_t>(stream_.CurrentPosition()); }
  bool read_content(std::uint32_t wire_type, Field& field);

  std::string_view message_;
  google::protobuf::io::CodedInputStream stream_;
  std::size_t start_ = 0;
  bool is_malformed_ = false;
};

void append_field(std::string& out, std::uint32_t number, std::string_view content);
// The tag and the length of a field with so much content.
void append_field_head(std::string& out, std::uint32_t number, std::size_t content);

}  // namespace berth::protobuf
