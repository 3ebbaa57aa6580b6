#include "berth/base/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace berth {
namespace {

const std::string kMark = "\xEF\xBF\xBD";

TEST(Printable, NothingOfTheInputSteersTheTerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\n"), "a" + kMark + "[2Jb" + kMark);
  EXPECT_EQ(printable("\xC2\x9B"), kMark);  // the one-byte control sequence introducer
  EXPECT_EQ(printable("x\xE2\x80\xAEy"), "x" + kMark + "y");  // right-to-left override
  EXPECT_EQ(printable("\xFFz\xE8\xA8"), kMark + "z" + kMark + kMark);
  EXPECT_EQ(printable("caf\xC3\xA9"), "caf\xC3\xA9");
}

TEST(Printable, NothingOfTheInputEndsTheLine) {
  EXPECT_EQ(printable("a\r\nb"), "a" + kMark + kMark + "b");
  EXPECT_EQ(printable("a\xE2\x80\xA8"
                      "b"),
            "a" + kMark + "b");  // line separator
}

TEST(Printable, TwiceChangesNothing) {
  const std::string once = printable("a\x1b\xFF");
  EXPECT_EQ(printable(once), once);
}

}  // namespace
}  // namespace berth
