// The documents of /queues and /reservations, which `berth` reads.
#include "fuzz/fuzz.h"
#include "views/queue_document.h"
#include "views/reservation_document.h"

namespace berth::fuzz {
namespace {

template <class Read, class Write>
void expect_written_as_read(const std::string& text, Read read, Write write) {
  const auto table = read(text, "f");
  if (!table) return expect_readable(table.error(), text);
  const std::string written = write(*table);
  const auto again = read(written, "f");
  BERTH_CHECK(again && write(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(view_of(bytes, size));
  expect_written_as_read(text, views::read_queue_table, views::write_queue_table);
  expect_written_as_read(text, views::read_reservation_table, views::write_reservation_table);
  return 0;
}

}  // namespace berth::fuzz
