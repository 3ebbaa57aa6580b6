#include "tidy/dialect_gates.h"

#include <gtest/gtest.h>

#include "tidy/repository.h"

namespace berth::tidy {
namespace {

TEST(Tidy, WordsAreThoseOfTheField) {
  expect_clean([](const Tree& tree) { return dialect(tree, {}); });
}

TEST(DialectGates, NameTheWordToUse) {
  const Tree tree{
      {{"docs/x.md", "# X\n\nA job is told why, and gives way.\n"},
       {"src/a/x.cpp", "f(\"told\");\nint said_;\nvoid tell_all();\nint retell;\n"},
       {"src/a/y.h", "struct NodeTeller {};\nusing Wire = int;\nint wire, WireFormat;\n"},
       {"tests/a/x.cpp", "f(\"told\");  // a Nudge\n"}}};
  EXPECT_EQ(joined(dialect(tree, {})),
            "docs/x.md:3: \"told\", say reported, logged or notified\n"
            "docs/x.md:3: \"gives way\", say ends for it, or lowers the priority\n"
            "src/a/x.cpp:3: \"tell\", say report, log or notify\n"
            "src/a/x.cpp:1: \"told\", say reported, logged or notified\n"
            "src/a/x.cpp:2: \"said\", say last reported, or observed\n"
            "src/a/y.h:1: \"teller\", say reporter\n"
            "src/a/y.h:2: \"Wire\", say ObservedPod\n"
            "tests/a/x.cpp:1: \"nudge\", say wake\n");
}

TEST(DialectGates, WantASubjectButAllowQuestions) {
  const Tree tree{
      {{"docs/x.md", "Jobs wait. Who\nwaits is named.\n\n```\nWhat a fence has.\n```\n"},
       {"src/a/x.cpp",
        "// What fits?\n// Whose turn is\n// it? What is left\n// stays.\nint x;\n"}}};
  EXPECT_EQ(joined(dialect(tree, {})),
            "docs/x.md:1: a sentence that begins with \"Who\", begin with its subject\n"
            "src/a/x.cpp:3: a sentence that begins with \"What\", begin with its subject\n");
}

TEST(DialectGates, ExceptFilesAndFoldersAsLongAsTheyNeedIt) {
  const Tree tree{{{"docs/x.md", "told\n"}, {"src/a/x.cpp", "int told;\n"}, {"src/b/x.cpp", ""}}};
  EXPECT_EQ(joined(dialect(tree, {"docs", "src/a/x.cpp", "src/b"})),
            "src/b: needs no exception any more\n");
}

}  // namespace
}  // namespace berth::tidy
