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

TEST(Printable, FirstBytesTearNoCharacter) {
  EXPECT_EQ(first_bytes("caf\xC3\xA9", 9), "caf\xC3\xA9");
  EXPECT_EQ(first_bytes("caf\xC3\xA9", 5), "caf\xC3\xA9");
  EXPECT_EQ(first_bytes("caf\xC3\xA9", 4), "caf");
  EXPECT_EQ(first_bytes("\xF0\x9F\x98\x80s", 3), "");
  EXPECT_EQ(first_bytes("\xF0\x9F\x98\x80s", 4), "\xF0\x9F\x98\x80");
  EXPECT_EQ(first_bytes("", 0), "");
  EXPECT_EQ(shortened("caf\xC3\xA9", 4), "caf...");
  EXPECT_EQ(shortened("caf\xC3\xA9", 5), "caf\xC3\xA9");
  EXPECT_EQ(first_bytes(std::string(9, '\x80'), 8), std::string(4, '\x80'));  // no character
}

TEST(Printable, NothingOfTheInputEndsTheLine) {
  EXPECT_EQ(printable("a\r\nb"), "a" + kMark + kMark + "b");
  EXPECT_EQ(printable("a\xE2\x80\xA8"
                      "b"),
            "a" + kMark + "b");  // line separator
}

TEST(Printable, EVENT8_NothingOfTheInputChangesTheDirectionOfText) {
  for (const char* mark : {"\xD8\x9C", "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xAA",
                           "\xE2\x80\xAB", "\xE2\x80\xAC", "\xE2\x80\xAD", "\xE2\x80\xAE",
                           "\xE2\x81\xA6", "\xE2\x81\xA7", "\xE2\x81\xA8", "\xE2\x81\xA9"}) {
    EXPECT_EQ(printable(std::string("x") + mark + "y"), "x" + kMark + "y");
  }
  // Letters and numbers that have a direction themselves, and a joiner, stay.
  for (const char* kept : {"\xD8\xA7", "\xD7\x90", "\xE2\x80\x8D", "\xE2\x81\xAA"}) {
    EXPECT_EQ(printable(kept), kept);
  }
}

// Each byte of a character that is none is one mark.
TEST(Printable, EVENT8_OnlyCharactersOfUnicodeInTheirShortestFormPass) {
  const std::string three = kMark + kMark + kMark;
  EXPECT_EQ(printable("\xC1\xBF"), kMark + kMark);
  EXPECT_EQ(printable("\xE0\x9F\xBF"), three);  // overlong
  EXPECT_EQ(printable("\xE0\x80\x9B"), three);
  EXPECT_EQ(printable("\xE0\xA0\x80"), "\xE0\xA0\x80");  // U+0800
  EXPECT_EQ(printable("\xED\x9F\xBF"), "\xED\x9F\xBF");  // U+D7FF
  EXPECT_EQ(printable("\xED\xA0\x80"), three);           // surrogates
  EXPECT_EQ(printable("\xED\xBF\xBF"), three);
  EXPECT_EQ(printable("\xEE\x80\x80"), "\xEE\x80\x80");          // U+E000
  EXPECT_EQ(printable("\xF0\x8F\xBF\xBF"), three + kMark);       // overlong
  EXPECT_EQ(printable("\xF0\x90\x80\x80"), "\xF0\x90\x80\x80");  // U+10000
  EXPECT_EQ(printable("\xF4\x8F\xBF\xBF"), "\xF4\x8F\xBF\xBF");  // U+10FFFF
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), three + kMark);
  EXPECT_EQ(printable("\xF5\x80\x80\x80"), three + kMark);
}

TEST(Printable, TwiceChangesNothing) {
  const std::string once = printable("a\x1b\xFF");
  EXPECT_EQ(printable(once), once);
}

}  // namespace
}  // namespace berth
