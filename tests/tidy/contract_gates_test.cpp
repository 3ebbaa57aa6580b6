#include "tidy/contract_gates.h"

#include <gtest/gtest.h>

#include "tidy/repository.h"

namespace berth::tidy {
namespace {

TEST(Tidy, PluginsAndActionsHaveDocuments) { expect_clean(plugins_without_document); }

TEST(Tidy, DocumentsAndCodeHaveTheSameRules) { expect_clean(rules_that_differ); }

TEST(Tidy, RulesResolve) { expect_clean(rules_that_do_not_resolve); }

TEST(Tidy, RulesAreTested) { expect_clean(rules_without_test); }

TEST(Tidy, ReasonsHaveSentences) { expect_clean(reasons_without_sentence); }

TEST(Tidy, ReasonsAreTested) {
  expect_clean([](const Tree& tree) { return reasons_without_test(tree, {}); });
}

TEST(Tidy, MetricsAreListed) { expect_clean(metrics_that_differ); }

TEST(Tidy, PointsHaveSentences) { expect_clean(points_without_sentence); }

TEST(Tidy, PointsAreAsked) {
  expect_clean([](const Tree& tree) { return points_nobody_asks(tree, {}); });
}

TEST(ContractGates, WantADocumentForEachPlugin) {
  const Tree tree{{{"docs/design/b.md", "# B\n\nCode: `plugins/other.cpp`\n"},
                   {"plugins/a.cpp", "namespace x {\nBERTH_PLUGIN(A, \"a_c\");\n}\n"},
                   {"src/actions/b.cpp", "\nBERTH_ACTION(B, \"b\");\n"}}};
  EXPECT_EQ(joined(plugins_without_document(tree)),
            "plugins/a.cpp:2: docs/design/a-c.md is missing\n"
            "docs/design/b.md:1: no rules\n"
            "docs/design/b.md:1: no line \"Code: `src/actions/b.cpp`\"\n");
}

TEST(ContractGates, CompareRulesOfDocumentAndCode) {
  const Tree tree{{{"docs/design/a.md",
                    "# A\n\nCode: `plugins/a.cpp`, `plugins/gone.cpp`\n\n"
                    "| A-1 | one |\n| A-2 | two |\n"},
                   {"plugins/a.cpp", "// A-1 does (D3).\n"}}};
  EXPECT_EQ(joined(rules_that_differ(tree)),
            "docs/design/a.md:1: there is no plugins/gone.cpp\n"
            "docs/design/a.md:6: A-2 is not in the code\n");
}

TEST(ContractGates, CompareMetricsOfDocumentAndCode) {
  const Tree tree{{{"docs/metrics.md", "# M\n\n| `berth_a_total`, `berth_gone` | |\n"},
                   {"src/a.cpp", "// \nf(\"berth_a_total\");\nf(\"berth_b\");\n"},
                   {"tests/a.cpp", "f(\"berth_c\");\n"}}};
  EXPECT_EQ(joined(metrics_that_differ(tree)),
            "src/a.cpp:3: berth_b is not in docs/metrics.md\n"
            "docs/metrics.md:3: no berth_gone\n");
}

TEST(ContractGates, WantEachRuleToResolve) {
  const Tree tree{{{"docs/design/a.md", "| AB-1 | one |\n| AB-2 | two |\n"},
                   {"docs/design/b.md", "| AB-3 | |\n| B-1 | see AB-4, UTF-8 |\n"},
                   {"plugins/a.cpp", "// AB-1\nconst char* text = \"AB-9\";\n// AB-5\n"},
                   {"tests/scenarios/x.scn", "# AB-12\n"}}};
  EXPECT_EQ(joined(rules_that_do_not_resolve(tree)),
            "docs/design/b.md:1: AB-3 is a rule elsewhere\n"
            "docs/design/b.md:2: AB-4 is in no table of rules\n"
            "plugins/a.cpp:3: AB-5 is in no table of rules\n"
            "tests/scenarios/x.scn:1: AB-12 is in no table of rules\n");
}

TEST(ContractGates, WantATestForEachRule) {
  const Tree tree{{{"docs/design/a.md",
                    "# A\nTests: `tests/b`, `tests/c`\n| A-1 | |\n| A-2 | |\n"
                    "| A-3 | |\n| A-4 | |\n"},
                   {"tests/b/x.cpp", "// A-2\n"},
                   {"tests/other/x.cpp", "// A-4\n"},
                   {"tests/plugins/a_test.cpp", "TEST(A, A1IsSo)\n// A-31\n"}}};
  EXPECT_EQ(joined(rules_without_test(tree)),
            "docs/design/a.md:1: there is no tests/c\n"
            "docs/design/a.md:5: A-3 is in no test\n"
            "docs/design/a.md:6: A-4 is in no test\n");
}

const char* const kReasons =
    "enum class Reason : int {\n  none,\n  // about a job\n  too_few,\n};\n";

TEST(ContractGates, WantASentenceForEachReason) {
  const Tree tree{{{"include/berth/model/reason.h", kReasons},
                   {"src/model/reason.cpp",
                    "{Reason::none, \"none\", \"nothing\"},\n"
                    "{Reason::too_few, \"too_few\",\n \"\"},\n"}}};
  EXPECT_EQ(joined(reasons_without_sentence(tree)),
            "include/berth/model/reason.h:4: too_few has no sentence\n");
}

TEST(ContractGates, WantATestForEachReason) {
  const Tree tree{{{"include/berth/model/reason.h", kReasons},
                   {"tests/scenarios/x.scn", "expect j1 pending none\n"}}};
  EXPECT_EQ(joined(reasons_without_test(tree, {})),
            "include/berth/model/reason.h:4: too_few occurs in no test\n");
  EXPECT_EQ(joined(reasons_without_test(tree, {"too_few", "none"})),
            "include/berth/model/reason.h:2: none is tested: say no more that it is not\n");
}

const char* const kPoints =
    "// Which is first?\nBERTH_POINT(First, first, \"first\", F, int());\n"
    "BERTH_POINT(Second, second, \"second\", F,\n            int());\n";

TEST(ContractGates, WantASentenceForEachPoint) {
  const Tree tree{{{"include/berth/engine/points.h", kPoints}}};
  EXPECT_EQ(joined(points_without_sentence(tree)),
            "include/berth/engine/points.h:3: second has no sentence\n");
}

TEST(ContractGates, WantEachPointAsked) {
  const Tree tree{{{"include/berth/engine/points.h", kPoints},
                   {"src/actions/x.cpp",
                    "session.ask(\n    points::first, job);\n"
                    "// ask(points::second)\nattach(points::second);\n"}}};
  EXPECT_EQ(joined(points_nobody_asks(tree, {})),
            "include/berth/engine/points.h:3: second is asked by nobody\n");
  EXPECT_EQ(joined(points_nobody_asks(tree, {"first", "second"})),
            "include/berth/engine/points.h:2: first is asked: say no more that it is not\n");
}

}  // namespace
}  // namespace berth::tidy
