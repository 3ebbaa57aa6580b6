#include "traces/lines.h"

#include <gtest/gtest.h>

#include "traces/samples.h"

namespace berth::traces::lines_test {
namespace {

std::vector<std::string> lines_of(std::string_view text, std::size_t most = 1'000'000) {
  Trickle source(text, most);
  LineReader lines(source, "f");
  std::vector<std::string> all;
  while (true) {
    const auto line = lines.next();
    EXPECT_TRUE(line);
    if (!line || !*line) return all;
    const std::string number = std::to_string((*line)->number);
    all.push_back(number + ":" + ((*line)->is_too_long ? "too long" : std::string((*line)->text)));
  }
}

TEST(Lines, EndInAnyWay) {
  const std::vector<std::string> expected{"1:a", "2:", "3:b c", "4:d"};
  for (const std::size_t most : {1U, 2U, 1'000U}) {
    EXPECT_EQ(lines_of("\xEF\xBB\xBF a\r\n\n\tb c \nd", most), expected);
    EXPECT_EQ(lines_of("a\n\nb c\nd\n", most), expected);
    EXPECT_TRUE(lines_of("", most).empty());
  }
}

// TRACE-2
TEST(Lines, ThatAreTooLongAreDropped) {
  const std::string longest(kLineMost, 'x');
  for (const std::size_t most : {999U, 70'000U, 1'000'000U}) {
    EXPECT_EQ(lines_of(longest + "\nb", most), (std::vector<std::string>{"1:" + longest, "2:b"}));
    EXPECT_EQ(lines_of(longest + "x\nb\n", most), (std::vector<std::string>{"1:too long", "2:b"}));
    EXPECT_EQ(lines_of("a\n" + longest + longest + longest + "\nb", most),
              (std::vector<std::string>{"1:a", "2:too long", "3:b"}));
    EXPECT_EQ(lines_of(longest + longest, most), std::vector<std::string>{"1:too long"});
  }
}

TEST(Lines, HaveTheirPlaceInAnErrorOfTheSource) {
  const std::string packed = gzip("a\nb\n");
  TextBytes text(std::string_view(packed).substr(0, packed.size() - 1));
  Unzipped bytes(text);
  LineReader lines(bytes, "f.gz");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(lines.next());
  const auto line = lines.next();
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().to_string(),
            "f.gz:3: broken gzip (it ends too early), expected gzip as it was written");
}

}  // namespace
}  // namespace berth::traces::lines_test
