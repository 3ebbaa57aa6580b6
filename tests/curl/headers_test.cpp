#include "curl/headers.h"

#include <gtest/gtest.h>

#include "support/damage.h"
#include "support/seeds.h"

namespace berth::curl {
namespace {

TEST(HeaderLine, IsReadInSmallLetters) {
  const auto header = parse_header_line("Content-Type: \t a: b \r\n");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->name, "content-type");
  EXPECT_EQ(header->value, "a: b");
  EXPECT_FALSE(parse_header_line("no colon\r\n"));
  EXPECT_FALSE(parse_header_line("a b: c\r\n"));
  EXPECT_FALSE(parse_header_line("a: b\x01\r\n"));
}

TEST(HeaderLine, DoesNoHarm) {
  for (const std::uint64_t seed : support::seeds(2'000)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    support::Damage damage(seed);
    const auto header = parse_header_line(damage.of("Content-Type: application/json\r\n"));
    if (header) {
      EXPECT_TRUE(is_header_name(header->name) && is_header_value(header->value));
    }
  }
}

}  // namespace
}  // namespace berth::curl
