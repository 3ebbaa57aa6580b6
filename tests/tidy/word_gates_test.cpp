#include "tidy/word_gates.h"

#include <gtest/gtest.h>

#include "tidy/repository.h"

namespace berth::tidy {
namespace {

TEST(Tidy, WhatIsToBeDoneHasAnIssue) { expect_clean(todos_without_issue); }

TEST(Tidy, NoTestSleeps) { expect_clean(sleeps_in_tests); }

TEST(Tidy, NamesSaySomething) { expect_clean(names_that_say_nothing); }

TEST(Tidy, HashMapsOfTheCoreAreLookedUpOnly) { expect_clean(hash_maps_without_promise); }

TEST(Tidy, NoCallThrowsForBytesFromOutside) { expect_clean(calls_that_throw); }

TEST(WordGates, WantAnIssueForATodo) {
  const Tree tree{
      {{"scripts/x", "# TODO later\n"},
       {"src/a/x.cpp", "// TODO(#12): soon\n// TODO: soon\nf(\"TODO\");  // FIXME #3\n"}}};
  EXPECT_EQ(joined(todos_without_issue(tree)),
            "scripts/x:1: TODO without #issue\nsrc/a/x.cpp:2: TODO without #issue\n");
}

TEST(WordGates, RefuseSleepInTests) {
  const Tree tree{{{"src/a/x.cpp", "std::this_thread::sleep_for(a);\n"},
                   {"tests/a/x.cpp",
                    "// sleep(1)\nf(\"sleep(1)\");\nusleep(1);\n"
                    "std::this_thread::sleep_for (a);\nint sleep;\n"}}};
  EXPECT_EQ(joined(sleeps_in_tests(tree)),
            "tests/a/x.cpp:3: usleep in a test\ntests/a/x.cpp:4: sleep_for in a test\n");
}

TEST(WordGates, RefuseNamesThatSayNothing) {
  const Tree tree{{{"src/a/http_utils.h", ""},
                   {"src/a/x.cpp",
                    "class JobManager;\nstruct Database {};\nusing NodeInfo = int;\n"
                    "enum class Informer { data };\n"}}};
  EXPECT_EQ(joined(names_that_say_nothing(tree)),
            "src/a/x.cpp:1: a type named JobManager\nsrc/a/x.cpp:3: a type named NodeInfo\n"
            "src/a/http_utils.h:1: a file named http_utils\n");
}

TEST(WordGates, WantAPromiseForHashMapsOfTheCore) {
  const Tree tree{{{"src/engine/x.h",
                    "#include <unordered_map>\nstd::unordered_map<A, B> a_;\n"
                    "std::unordered_set<A> b_;  // look-up only\n"},
                   {"src/http/x.h", "std::unordered_map<A, B> a_;\n"}}};
  EXPECT_EQ(joined(hash_maps_without_promise(tree)),
            "src/engine/x.h:2: a hash map that is not \"look-up only\"\n");
}

TEST(WordGates, RefuseCallsThatThrow) {
  const Tree tree{{{"src/a/x.cpp",
                    "#include <nlohmann/json.hpp>\na = Json::parse(text);\nb = json::parse(text,\n "
                    "nullptr, false);\n"
                    "c = json.get<bool>();\nd = json.get_ptr<const bool*>();\n"
                    "e = json.value(\"a\", 1);\nf = result.value();\ng = json.dump();\n"
                    "h = json.dump(1, ' ', false, Json::error_handler_t::replace);\n"
                    "i = std::stoi(text);\n"},
                   {"src/b/x.cpp", "a = found.value(b, c);\n"},
                   {"tests/a/x.cpp", "// nlohmann\na = Json::parse(text);\n"}}};
  EXPECT_EQ(joined(calls_that_throw(tree)),
            "src/a/x.cpp:2: Json::parse( may throw\nsrc/a/x.cpp:5: .get< may throw\n"
            "src/a/x.cpp:7: .value(\" \", may throw\nsrc/a/x.cpp:9: .dump( may throw\n"
            "src/a/x.cpp:11: std::stoi may throw\n");
}

}  // namespace
}  // namespace berth::tidy
