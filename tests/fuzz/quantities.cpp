// Quantities, durations and times. Each is read again as it is written.
#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "fuzz/fuzz.h"

namespace berth::fuzz {
namespace {

void read_quantity(std::string_view text) {
  const auto one = parse_quantity(text, Scale::one);
  const auto milli = parse_quantity(text, Scale::milli);
  if (!one) expect_readable(one.error(), text);
  for (const std::string_view resource : {"cpu", "memory", "pods", "hugepages-2Mi"}) {
    const auto amount = parse_quantity(text, scale_of(resource));
    if (!amount) continue;
    BERTH_CHECK(*amount >= 0 && *amount <= kAmountMax);
    const auto again = parse_quantity(format_quantity(resource, *amount), scale_of(resource));
    BERTH_CHECK(again && *again == *amount);
  }
  if (one && milli) BERTH_CHECK(*one == (*milli + 999) / 1000);
  const auto bounded = parse_quantity_up_to(text, Scale::one, 1'000);
  if (one) BERTH_CHECK(bounded && *bounded == std::min<std::int64_t>(*one, 1'000));
}

void read_duration(std::string_view text) {
  const auto duration = parse_duration(text);
  if (!duration) return expect_readable(duration.error(), text);
  BERTH_CHECK(*duration >= Duration::zero());
  const auto again = parse_duration(format_duration(*duration));
  BERTH_CHECK(again && *again == *duration);
}

void read_time(std::string_view text) {
  const auto time = parse_time(text);
  if (!time) return expect_readable(time.error(), text);
  const auto again = parse_time(format_time(*time));
  BERTH_CHECK(again && *again == *time);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = view_of(bytes, size);
  read_quantity(text);
  read_duration(text);
  read_time(text);
  const std::size_t middle = size / 2;
  const int order = natural_compare(text.substr(0, middle), text.substr(middle));
  BERTH_CHECK(order == -natural_compare(text.substr(middle), text.substr(0, middle)));
  return 0;
}

}  // namespace berth::fuzz
