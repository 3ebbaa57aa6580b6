#include "extender/wire.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "extender/support.h"

namespace berth::extender {
namespace {

using test::padded;
using test::testdata;

std::vector<std::string> names_of(const FilterArgs& args) {
  std::vector<std::string> names;
  for (const NodeOnWire& node : args.nodes) names.emplace_back(node.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(WireFilter, AGoldenRequestIsReadWithItsPodAndNames) {
  WireReader reader;
  const std::string body = testdata("filter.json");
  const auto args = reader.filter_args(body);
  ASSERT_TRUE(args) << args.error().to_string();
  EXPECT_EQ(args->pod.full_name(), "ns/train-0");
  EXPECT_EQ(args->pod.uid, "uid-train-0");
  EXPECT_EQ(args->pod.scheduler_name, "berth");
  EXPECT_EQ(args->pod.nominated_node, "n2");
  EXPECT_EQ(args->form, NodeForm::names);
  EXPECT_EQ(names_of(*args), (Names{"n1", "n2", "n3"}));
  EXPECT_EQ(args->pod.json.substr(0, 13), R"({"metadata":{)");
  EXPECT_EQ(args->pod.json.substr(args->pod.json.size() - 14), R"("Guaranteed"}})");
}

TEST(WireFilter, NamesAreViewsIntoABodyWithRoomBehindIt) {
  WireReader reader;
  const std::string body = test::filter_body(test::pod_json("a", "berth"), test::node_names(5000));
  const auto args = reader.filter_args(body);
  ASSERT_TRUE(args) << args.error().to_string();
  ASSERT_EQ(args->nodes.size(), 5000u);
  for (const NodeOnWire& node : args->nodes) {
    ASSERT_GE(node.name.data(), body.data());
    ASSERT_LT(node.name.data(), body.data() + body.size());
  }
  EXPECT_EQ(args->nodes[4999].name, test::node_name(4999));
}

TEST(WireFilter, ABodyWithoutRoomBehindItIsReadTheSame) {
  WireReader reader;
  std::string body = testdata("filter.json");
  body.shrink_to_fit();
  const auto args = reader.filter_args(body);
  ASSERT_TRUE(args) << args.error().to_string();
  EXPECT_EQ(names_of(*args), (Names{"n1", "n2", "n3"}));
}

TEST(WireFilter, WholeNodesAreReadByNameAndKeptAsTheyCame) {
  WireReader reader;
  const std::string body = testdata("filter_full_nodes.json");
  const auto args = reader.filter_args(body);
  ASSERT_TRUE(args) << args.error().to_string();
  EXPECT_EQ(args->form, NodeForm::objects);
  EXPECT_EQ(names_of(*args), (Names{"n1", "n2", "n3"}));
  for (const NodeOnWire& node : args->nodes) {
    EXPECT_NE(body.find(node.json), std::string::npos);
    EXPECT_EQ(node.json.front(), '{');
    EXPECT_EQ(node.json.substr(node.json.size() - 5), "9}]}}");
  }
}

TEST(WireFilter, KeysMatchInAnyCaseAndUnknownOnesAreSkipped) {
  WireReader reader;
  const std::string body = padded(
      R"( { "future": {"a":[1,{"b":null}]}, "nodenames" : [ "n1" , "n2" ] , "NODES":null,
            "pOd":{"METADATA":{"Name":"p","NameSpace":"ns","UID":"u","x":1e400},
                   "Spec":{"SCHEDULERNAME":"s","containers":[]}} } )");
  const auto args = reader.filter_args(body);
  ASSERT_TRUE(args) << args.error().to_string();
  EXPECT_EQ(args->pod.full_name(), "ns/p");
  EXPECT_EQ(args->pod.scheduler_name, "s");
  EXPECT_EQ(names_of(*args), (Names{"n1", "n2"}));
}

TEST(WireFilter, TheControllerSaysWhetherAPodComesWithItsNode) {
  WireReader reader;
  const auto is_daemon = [&](const std::string& owners) {
    const std::string body = test::padded(R"({"Pod":{"metadata":{"name":"p","ownerReferences":)" +
                                          owners + R"(}},"NodeNames":[]})");
    const auto args = reader.filter_args(body);
    EXPECT_TRUE(args) << owners;
    return args && args->pod.is_daemon;
  };
  EXPECT_TRUE(
      is_daemon(R"([{"apiVersion":"apps/v1","kind":"DaemonSet","name":"d","controller":true}])"));
  EXPECT_TRUE(is_daemon(R"([{"kind":"Job"},{"controller":true,"kind":"DaemonSet"}])"));
  EXPECT_FALSE(is_daemon(R"([{"kind":"DaemonSet","controller":false}])"));
  EXPECT_FALSE(is_daemon(R"([{"kind":"DaemonSet"},{"kind":"Job","controller":true}])"));
  EXPECT_FALSE(is_daemon(R"([{"kind":"DaemonSet","controller":true}],"ownerReferences":[])"));
  EXPECT_FALSE(is_daemon("null"));
  EXPECT_FALSE(reader.filter_args(
      test::padded(R"({"Pod":{"metadata":{"ownerReferences":7}},"NodeNames":[]})")));
}

TEST(WireFilter, NullsStandForWhatIsAbsent) {
  WireReader reader;
  const std::string body = padded(
      R"({"Pod":{"metadata":{"name":null,"namespace":"ns"},"spec":null,"status":null},
          "Nodes":null,"NodeNames":null})");
  const auto args = reader.filter_args(body);
  ASSERT_TRUE(args) << args.error().to_string();
  EXPECT_EQ(args->form, NodeForm::none);
  EXPECT_TRUE(args->nodes.empty());
  EXPECT_EQ(args->pod.full_name(), "ns/");
}

TEST(WireFilter, EscapedNamesAreUnescapedAndSentBackAsTheyCame) {
  WireReader reader;
  const std::string body = padded(R"({"Pod":{},"NodeNames":["n\u0031","a\"b\\c","\ud83d\ude80"]})");
  const auto args = reader.filter_args(body);
  ASSERT_TRUE(args) << args.error().to_string();
  EXPECT_EQ(names_of(*args), (Names{"n1", "a\"b\\c", "\xf0\x9f\x9a\x80"}));
  FilterReply reply;
  for (const NodeOnWire& node : args->nodes) reply.accepted.push_back(node.json);
  EXPECT_EQ(encode(reply), R"({"Nodes":null,"NodeNames":["n\u0031","a\"b\\c","\ud83d\ude80"],)"
                           R"("FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})");
}

TEST(WireFilter, OfDuplicateKeysTheLastCounts) {
  WireReader reader;
  const std::string body = padded(
      R"({"Pod":{"metadata":{"name":"a","name":"b"}},"NodeNames":["n1"],"nodeNames":["n2"]})");
  const auto args = reader.filter_args(body);
  ASSERT_TRUE(args) << args.error().to_string();
  EXPECT_EQ(args->pod.name, "b");
  EXPECT_EQ(names_of(*args), (Names{"n2"}));
}

TEST(WireFilter, NamesCountWhenBothFormsAreSent) {
  WireReader reader;
  const std::string body =
      padded(R"({"Pod":{},"NodeNames":["n1"],"Nodes":{"items":[{"metadata":{"name":"n2"}}]}})");
  const auto args = reader.filter_args(body);
  ASSERT_TRUE(args) << args.error().to_string();
  EXPECT_EQ(args->form, NodeForm::names);
  EXPECT_EQ(names_of(*args), (Names{"n1"}));
}

TEST(WireFilter, AReaderServesManyRequestsOfAllSizes) {
  WireReader reader;
  for (const int count : {0, 5000, 1, 60'000, 2, 500}) {
    const std::string body =
        test::filter_body(test::pod_json("a", "berth"), test::node_names(count));
    const auto args = reader.filter_args(body);
    ASSERT_TRUE(args) << count << ": " << args.error().to_string();
    EXPECT_EQ(args->nodes.size(), static_cast<std::size_t>(count));
    EXPECT_FALSE(reader.filter_args("{"));
  }
}

TEST(WirePreempt, BothFormsAreRead) {
  WireReader reader;
  const auto meta = reader.preempt_args(testdata("preempt_meta.json"));
  ASSERT_TRUE(meta) << meta.error().to_string();
  ASSERT_EQ(meta->nodes.size(), 3u);
  EXPECT_EQ(meta->nodes[0].node, "n1");
  EXPECT_EQ(meta->nodes[0].pod_uids, (Names{"uid-low-0", "uid-low-1"}));
  EXPECT_EQ(meta->nodes[0].pdb_violations, 1);
  EXPECT_TRUE(meta->nodes[2].pod_uids.empty());

  const auto whole = reader.preempt_args(testdata("preempt_victims.json"));
  ASSERT_TRUE(whole) << whole.error().to_string();
  ASSERT_EQ(whole->nodes.size(), 2u);
  EXPECT_EQ(whole->nodes[0].pod_uids, (Names{"uid-low-0"}));
  EXPECT_EQ(whole->nodes[1].pod_uids, (Names{"uid-train-1"}));
}

TEST(WireBind, AGoldenRequestIsRead) {
  WireReader reader;
  const auto binding = reader.binding_args(testdata("bind.json"));
  ASSERT_TRUE(binding) << binding.error().to_string();
  EXPECT_EQ(binding->name_space, "ns");
  EXPECT_EQ(binding->name, "train-0");
  EXPECT_EQ(binding->uid, "uid-train-0");
  EXPECT_EQ(binding->node, "n2");
}

TEST(WireErrors, SayWhatWasExpectedAndWhere) {
  WireReader reader;
  const auto refusal = [&](std::string_view text) {
    const auto args = reader.filter_args(padded(text));
    return args ? "accepted" : args.error().to_string();
  };
  EXPECT_EQ(refusal(R"({"Pod":{},"NodeNames":["n1",7]})"),
            R"(byte 28: "NodeNames": expected a string, found a number)");
  EXPECT_EQ(refusal(R"({"Pod":[],"NodeNames":[]})"),
            R"(byte 7: "Pod": expected an object, found a list)");
  EXPECT_EQ(refusal(R"({"Pod":{"metadata":{"uid":true}}})"),
            R"(byte 26: "uid": expected a string, found a boolean)");
  EXPECT_EQ(refusal(""), "expected a JSON object, found nothing");
  EXPECT_EQ(refusal("  "), "expected a JSON object, found nothing");
  EXPECT_EQ(refusal("[1]"), "byte 0: expected a JSON object, found a list");
  EXPECT_EQ(refusal(R"({"NodeNames":[]})"), R"("Pod" is missing, expected an object)");
  EXPECT_EQ(refusal(R"({"Pod":{}} x)"), "byte 11: something after the end of the request");
  EXPECT_EQ(refusal(R"({"Pod":{}} {"Pod":{}})"), "byte 11: something after the end of the request");
  EXPECT_EQ(refusal(R"({"Pod":{"spec":{"x":tru}}})"), "byte 20: malformed JSON");
  EXPECT_EQ(refusal(R"({"Pod":{"spec":{"x":"y" :"z"}}})"), "byte 20: malformed JSON");
  EXPECT_EQ(refusal(R"({"Pod":{"metadata":{"uid":"u":{}}}})"), "byte 26: malformed JSON");
  EXPECT_EQ(refusal(R"({"Pod":{},"NodeNames":["n1":"n2"]})"), "byte 23: malformed JSON");
  EXPECT_EQ(refusal(std::string(R"({"x":)") + std::string(200, '[') + std::string(200, ']') + "}"),
            "byte 104: nested deeper than 100");
}

TEST(WireErrors, BindArgumentsAreAllNeeded) {
  WireReader reader;
  const auto refusal = [&](std::string_view text) {
    const auto args = reader.binding_args(padded(text));
    return args ? "accepted" : args.error().to_string();
  };
  EXPECT_EQ(refusal("{}"), R"("PodName" is missing, expected a pod's name)");
  EXPECT_EQ(refusal(R"({"PodName":"a","PodNamespace":"b","PodUID":"","Node":"n"})"),
            R"("PodUID" is missing, expected a pod's uid)");
  EXPECT_EQ(refusal(R"({"PodName":"a","PodNamespace":"b","PodUID":"u","Node":{}})"),
            R"(byte 54: "Node": expected a string, found an object)");
}

TEST(WireReplies, AreCompactInGoNamesWithoutATrailingByte) {
  FilterReply reply;
  reply.accepted = {R"("n1")", R"("n2")"};
  reply.rejected = {{"n3", "full"}};
  EXPECT_EQ(encode(reply), R"({"Nodes":null,"NodeNames":["n1","n2"],"FailedNodes":{},)"
                           R"("FailedAndUnresolvableNodes":{"n3":"full"},"Error":""})");
  reply.form = NodeForm::objects;
  reply.accepted = {R"({"metadata":{"name":"n1"}})"};
  reply.rejected.clear();
  EXPECT_EQ(encode(reply), R"({"Nodes":{"metadata":{},"items":[{"metadata":{"name":"n1"}}]},)"
                           R"("NodeNames":null,"FailedNodes":{},"FailedAndUnresolvableNodes":{},)"
                           R"("Error":""})");
  EXPECT_EQ(encode(std::vector<HostScore>{}), "[]");
  EXPECT_EQ(encode(std::vector<HostScore>{{"n1", 10}, {"n2", 0}}),
            R"([{"Host":"n1","Score":10},{"Host":"n2","Score":0}])");
  EXPECT_EQ(encode(std::vector<NodeVictims>{}), R"({"NodeNameToMetaVictims":{}})");
  EXPECT_EQ(encode(std::vector<NodeVictims>{{"n1", {"u1", "u2"}, 3}}),
            R"({"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"u1"},{"UID":"u2"}],)"
            R"("NumPDBViolations":3}}})");
  EXPECT_EQ(encode_bind_reply(""), R"({"Error":""})");
}

TEST(WireReplies, TextIsEscaped) {
  EXPECT_EQ(encode_bind_reply("a \"b\" \\ \n\x01 \xc3\xa9"),
            "{\"Error\":\"a \\\"b\\\" \\\\ \\u000a\\u0001 \xc3\xa9\"}");
}

}  // namespace
}  // namespace berth::extender
