#include "tidy/document_gates.h"

#include <gtest/gtest.h>

#include "tidy/repository.h"

namespace berth::tidy {
namespace {

TEST(Tidy, DocumentsHaveOneTitle) { expect_clean(documents_without_one_title); }

TEST(Tidy, LinksLeadSomewhere) { expect_clean(links_that_lead_nowhere); }

TEST(DocumentGates, WantOneTitleAndItFirst) {
  const Tree tree{{{"a.md", "# A\n```\n# not a title\n```\n## B\n"},
                   {"b.md", "# A\n# B\n"},
                   {"c.md", "c\n# C\n"},
                   {"d.md", "d\n"}}};
  EXPECT_EQ(joined(documents_without_one_title(tree)),
            "b.md:1: 2 titles; one comes first\nc.md:1: 1 titles; one comes first\n"
            "d.md:1: 0 titles; one comes first\n");
}

TEST(DocumentGates, FollowLinks) {
  const Tree tree{{{"docs/a.md",
                    "# A\n[ok](b.md) [ok](../src/x.cpp) [ok](https://x.org/y)\n"
                    "[ok](b.md#what-is-it) [ok](#a) [ok](../src)\n"
                    "[1](d.md) [2](b.md#nothing) `[no](link)`\n[3](#b) [4](src)\n"},
                   {"docs/b.md", "# B\n## What is *it*?\n"},
                   {"docs/c.md", "# C\n![ok](x.png) ![5](y.png)\n"},
                   {"src/x.cpp", ""}},
                  {"docs/x.png"}};
  EXPECT_EQ(joined(links_that_lead_nowhere(tree)),
            "docs/a.md:4: d.md leads nowhere\ndocs/a.md:4: b.md#nothing leads nowhere\n"
            "docs/a.md:5: #b leads nowhere\ndocs/a.md:5: src leads nowhere\n"
            "docs/c.md:2: y.png leads nowhere\n");
}

}  // namespace
}  // namespace berth::tidy
