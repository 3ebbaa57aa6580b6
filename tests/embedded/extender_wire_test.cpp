#include "embedded/extender_wire.h"

#include <gtest/gtest.h>

namespace berth::embedded {
namespace {

const std::vector<std::string_view> kAsked = {"n1", "n2", "n3"};
using Kept = std::vector<std::size_t>;

TEST(ExtenderWireTest, RequestsAreWrittenAsGoWritesThem) {
  EXPECT_EQ(extender_args(R"({"a":1})", {"n1", "n\"2"}),
            R"({"Pod":{"a":1},"Nodes":null,"NodeNames":["n1","n\"2"]})");
  EXPECT_EQ(binding_args({"ns", "p", "u", "n1"}),
            R"({"PodName":"p","PodNamespace":"ns","PodUID":"u","Node":"n1"})");
  EXPECT_EQ(preemption_args("{}", {{"n1", {"u1", "u2"}, 1}, {"n2", {}, 0}}),
            R"({"Pod":{},"NodeNameToVictims":null,"NodeNameToMetaVictims":{)"
            R"("n1":{"Pods":[{"UID":"u1"},{"UID":"u2"}],"NumPDBViolations":1},)"
            R"("n2":{"Pods":[],"NumPDBViolations":0}}})");
}

TEST(ExtenderWireTest, NodesWithoutVictimsAreNotLeft) {
  const auto left = read_preemption_result(
      R"({"nodeNameToMetaVictims":{"n1":{"pods":[{"uid":"u"}],"numPDBViolations":2},"n2":null,
          "n3":{"Pods":[]}}})");
  ASSERT_EQ(left.value().size(), 1U);
  EXPECT_EQ(left->front().node, "n1");
  EXPECT_EQ(left->front().uids, std::vector<std::string>{"u"});
  EXPECT_EQ(left->front().violations, 2);
  EXPECT_TRUE(read_preemption_result("{}").value().empty());
  for (const char* const bad :
       {"", "[]", R"({"NodeNameToMetaVictims":1})", R"({"NodeNameToMetaVictims":{"n":1}})",
        R"({"NodeNameToMetaVictims":{"n":{"Pods":[1]}}})"}) {
    EXPECT_FALSE(read_preemption_result(bad)) << bad;
  }
}

TEST(ExtenderWireTest, AFilterResultKeepsNamesInTheOrderOfTheAnswerAndKeysInAnyCase) {
  EXPECT_EQ(read_filter_result(R"({"NodeNames":["n3","n1"],"x":[]})", kAsked).value(),
            (Kept{2, 0}));
  EXPECT_EQ(read_filter_result(R"({"nodenames":["n2"],"error":""} junk)", kAsked).value(),
            (Kept{1}));
}

TEST(ExtenderWireTest, NoNamesMeanNoNode) {
  EXPECT_TRUE(read_filter_result("{}", kAsked).value().empty());
  EXPECT_TRUE(read_filter_result(R"({"NodeNames":[]})", kAsked).value().empty());
  EXPECT_TRUE(read_filter_result(R"({"NodeNames":null})", kAsked).value().empty());
}

TEST(ExtenderWireTest, AFilterResultThatCannotBeUsedFailsTheCall) {
  EXPECT_EQ(read_filter_result(R"({"NodeNames":["n1"],"Error":"away"})", kAsked).error().message,
            "away");
  EXPECT_EQ(read_filter_result(R"({"NodeNames":["n9"]})", kAsked).error().message,
            "node \"n9\" was not asked about");
  for (const char* const bad :
       {"", "[]", "{", R"({"NodeNames":"n1"})", R"({"NodeNames":[1]})", R"({"Error":1})"}) {
    EXPECT_FALSE(read_filter_result(bad, kAsked)) << bad;
  }
}

TEST(ExtenderWireTest, ScoresAreIntegersAndMissingOnesZero) {
  using Scores = std::vector<std::int64_t>;
  EXPECT_EQ(read_priorities(R"([{"host":"n2","SCORE":7},{"Host":"n9","Score":1}])", kAsked).value(),
            (Scores{0, 7, 0}));
  EXPECT_EQ(read_priorities("null", kAsked).value(), (Scores{0, 0, 0}));
  for (const char* const bad :
       {"", "{}", "[1]", R"([{"Host":"n1","Score":1.5}])", R"([{"Host":1,"Score":1}])"}) {
    EXPECT_FALSE(read_priorities(bad, kAsked)) << bad;
  }
}

TEST(ExtenderWireTest, ABindingIsDoneUnlessTheAnswerSaysOtherwise) {
  EXPECT_TRUE(read_binding_result("{}"));
  EXPECT_TRUE(read_binding_result(R"({"Error":""})"));
  EXPECT_EQ(read_binding_result(R"({"error":"gang incomplete"})").error().message,
            "gang incomplete");
  EXPECT_FALSE(read_binding_result("")) << "an empty body is none for Go";
}

}  // namespace
}  // namespace berth::embedded
