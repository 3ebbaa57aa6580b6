#include "views/text_table.h"

#include <gtest/gtest.h>

namespace berth::views {
namespace {

TEST(TextTable, ColumnsAreAsWideAsATerminalShowsThem) {
  TextTable table({"NAME", "WHY"});
  table.add({"ab", "x"});
  table.add({"\xE8\xA8\x93\xE7\xB7\xB4\xE7\xB5\x84", "y"});  // three ideographs: six columns
  table.add({"e\xCC\x81", ""});                              // an accent takes no column
  EXPECT_EQ(table.render({}),
            "NAME    WHY\n"
            "ab      x\n"
            "\xE8\xA8\x93\xE7\xB7\xB4\xE7\xB5\x84  y\n"
            "e\xCC\x81\n");
}

TEST(TextTable, HeadingsAreBoldOnlyWhenAskedTo) {
  const TextTable table({"A"});
  EXPECT_EQ(table.render({.bold_headings = true}), "\x1b[1mA\x1b[0m\n");
  EXPECT_EQ(table.render({}), "A\n");
}

TEST(DisplayWidth, KnowsWideNarrowAndCombiningCharacters) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("caf\xC3\xA9"), 4U);
  EXPECT_EQ(display_width("\xED\x95\x9C"), 2U);      // Hangul
  EXPECT_EQ(display_width("\xF0\x9F\x9A\xA2"), 2U);  // a ship
  EXPECT_EQ(display_width("\xEF\xBD\xA1"), 1U);      // half-width
  EXPECT_EQ(display_width("o\xCC\x88"), 1U);
}

TEST(TextTable, NoCellSteersTheTerminal) {
  TextTable table({"NAME", "WHY"});
  table.add({"a\x1b[2J", "one\ntwo"});
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(table.render({}), "NAME   WHY\na" + mark + "[2J  one" + mark + "two\n");
}

TEST(TextTable, TheLastColumnIsWrappedBetweenWords) {
  TextTable table({"A", "WHY"});
  table.add({"job", "one two three four five six seven eight"});
  table.add({"b", "short"});
  EXPECT_EQ(table.render({.width = 30}),
            "A    WHY\n"
            "job  one two three four five\n"
            "     six seven eight\n"
            "b    short\n");
  EXPECT_EQ(table.render({.width = 200}), table.render({}));
  EXPECT_EQ(table.render({.width = 5}), table.render({.width = 29}));  // 24 columns are left to it
}

TEST(TextTable, OrItIsCut) {
  TextTable table({"A", "WHY"}, TextTable::Last::cut);
  table.add({"job", "one two three four five six seven eight"});
  EXPECT_EQ(table.render({.width = 30}), "A    WHY\njob  one two three four five…\n");
}

TEST(TextTable, CutsBetweenCharacters) {
  EXPECT_EQ(cut_to("abc", 3), "abc");
  EXPECT_EQ(cut_to("abcd", 3), "ab…");
  EXPECT_EQ(cut_to("äöüß", 3), "äö…");
  EXPECT_EQ(cut_to("漢字漢字", 5), "漢字…");
}

}  // namespace
}  // namespace berth::views
