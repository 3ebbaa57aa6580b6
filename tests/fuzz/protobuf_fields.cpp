// The fields of a message, in place, and of the messages in it.
#include "fuzz/fuzz.h"
#include "protobuf/fields.h"

namespace berth::fuzz {
namespace {

using protobuf::Field;
using protobuf::Fields;

void expect_written_as_read(const Field& field) {
  std::string written;
  protobuf::append_field(written, field.number, field.content);
  Fields fields(written);
  Field same;
  BERTH_CHECK(fields.next(same) && same.number == field.number && same.content == field.content);
  BERTH_CHECK(!fields.next(same) && !fields.is_malformed());
}

void walk(std::string_view message, int depth) {
  Fields fields(message);
  Field field;
  std::size_t read = 0;
  while (fields.next(field)) {
    BERTH_CHECK(field.whole.data() == message.data() + read && !field.whole.empty());
    BERTH_CHECK(field.whole.ends_with(field.content));
    read += field.whole.size();
    if (field.content.empty()) continue;
    expect_written_as_read(field);
    if (depth > 0) walk(field.content, depth - 1);
  }
  BERTH_CHECK(fields.place() == message.data() + read);
  BERTH_CHECK(fields.is_malformed() == (read < message.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  walk(view_of(bytes, size), 6);
  return 0;
}

}  // namespace berth::fuzz
