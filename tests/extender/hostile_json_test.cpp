#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "extender/server.h"

// Requests that kube-scheduler never sends, over real HTTP. Each gets a clear answer, and the next
// request is served normally.

namespace berth::extender {
namespace {

struct Hostile {
  const char* name;
  std::string body;
  int status;
  std::string says;  // part of the answer
};

class HostileJson : public test::ServerTest {
 protected:
  void check(const std::string& path, const std::vector<Hostile>& table,
             const std::string& healthy) {
    for (const Hostile& each : table) {
      SCOPED_TRACE(path + ": " + each.name);
      const auto reply = post(path, each.body);
      EXPECT_EQ(reply.status, each.status) << reply.body;
      EXPECT_NE(reply.body.find(each.says), std::string::npos) << reply.body;
      EXPECT_EQ(post(path, healthy).status, 200);
    }
  }
};

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int count = 0; count < times; ++count) out += text;
  return out;
}

std::string first_half(const std::string& text) { return text.substr(0, text.size() / 2); }

TEST_F(HostileJson, FilterRefusesWhatIsNoJson) {
  const std::string good =
      test::filter_body(test::pod_json("p", "default-scheduler"), test::node_names(20));
  check(
      "/plan/filter",
      {
          {"nothing", "", 400, "expected a JSON object, found nothing"},
          {"spaces", " \n\t ", 400, "expected a JSON object, found nothing"},
          {"null", "null", 400, "byte 0: expected a JSON object, found null"},
          {"a number", "12", 400, "found a number"},
          {"a list", "[]", 400, "found a list"},
          {"no JSON", "hello", 400, "found no JSON value"},
          {"an empty object", "{}", 400, "\"Pod\" is missing"},
          {"a null pod", R"({"Pod":null})", 400, ""},
          {"half a request", first_half(good), 400, ""},
          {"all but the last byte", good.substr(0, good.size() - 1), 400, ""},
          {"one bracket too many", good + "}", 400, "after the end"},
          {"two requests", good + good, 400, "after the end"},
          {"a zero byte behind", good + std::string(1, '\0'), 400, ""},
          {"a zero byte in a name", R"({"Pod":{},"NodeNames":["a)" + std::string(1, '\0') + "\"]}",
           400, "control character"},
          {"an escaped zero byte", R"({"Pod":{},"NodeNames":["a\u0000"]})", 200, R"("a\u0000")"},
          {"a lone surrogate", R"({"Pod":{},"NodeNames":["\ud800"]})", 400, "invalid escape"},
          {"an unknown escape", R"({"Pod":{},"NodeNames":["\q"]})", 400, "invalid escape"},
          {"no UTF-8", "{\"Pod\":{},\"NodeNames\":[\"\xff\xfe\"]}", 400, "UTF-8"},
          {"a cut UTF-8 letter", "{\"Pod\":{},\"NodeNames\":[\"\xc3\"]}", 400, "UTF-8"},
          {"an open string", R"({"Pod":{},"NodeNames":["a)", 400, ""},
          {"an open list", R"({"Pod":{},"NodeNames":["a"})", 400, ""},
          {"a missing comma", R"({"Pod":{},"NodeNames":["a" "b"]})", 400, ""},
          {"a comma too many", R"({"Pod":{},"NodeNames":["a",]})", 400, ""},
          {"a missing colon", R"({"Pod" {}})", 400, ""},
          {"a key without quotes", R"({Pod:{}})", 400, ""},
          {"single quotes", R"({'Pod':{}})", 400, ""},
          {"a comment", R"({"Pod":{}/* */})", 400, ""},
      },
      good);
}

TEST_F(HostileJson, FilterRefusesWhatIsNoRequest) {
  const std::string good =
      test::filter_body(test::pod_json("p", "default-scheduler"), test::node_names(20));
  const std::string deep = repeated("[", 100'000) + repeated("]", 100'000);
  const std::string objects = repeated(R"({"a":)", 5000) + "1" + repeated("}", 5000);
  check("/plan/filter",
        {
            {"a number as pod", R"({"Pod":7})", 400, "expected an object, found a number"},
            {"a string as spec", R"({"Pod":{"spec":"x"}})", 400, "expected an object"},
            {"a list as scheduler", R"({"Pod":{"spec":{"schedulerName":[]}}})", 400,
             "\"schedulerName\": expected a string, found a list"},
            {"an object as names", R"({"Pod":{},"NodeNames":{}})", 400, "expected a list"},
            {"a name that is null", R"({"Pod":{},"NodeNames":[null]})", 400, "expected a string"},
            {"a node without object", R"({"Pod":{},"Nodes":{"items":[7]}})", 400,
             "expected an object"},
            {"deep lists", R"({"x":)" + deep + "}", 400, "nested deeper than 100"},
            {"deep objects in the pod", R"({"Pod":{"spec":)" + objects + "}}", 400,
             "nested deeper than 100"},
            {"huge numbers where nobody looks",
             R"({"Pod":{"x":1e99999,"y":)" + repeated("9", 5000) + R"(},"NodeNames":["a"]})", 200,
             R"(["a"])"},
            {"a malformed number", R"({"Pod":{"x":01}})", 400, "malformed"},
            {"a plus sign", R"({"Pod":{"x":+1}})", 400, "malformed"},
            {"not a number", R"({"Pod":{"x":NaN}})", 400, "malformed"},
            {"lower-case keys", R"({"pod":{},"nodenames":["a"],"nodes":null})", 200, R"(["a"])"},
            {"duplicate keys", R"({"Pod":7,"Pod":{},"NodeNames":["a"]})", 400, "\"Pod\""},
            {"duplicate good keys", R"({"Pod":{},"NodeNames":["a"],"NodeNames":["b"]})", 200,
             R"(["b"])"},
            {"an empty name", R"({"Pod":{},"NodeNames":[""]})", 200, R"([""])"},
            {"a name of a megabyte",
             R"({"Pod":{},"NodeNames":[")" + std::string(1 << 20, 'n') + "\"]}", 200, "nnnn"},
            {"too large", std::string(9 << 20, ' '), 413, ""},
        },
        good);
}

TEST_F(HostileJson, AForeignPodThatCannotBeReadIsRefusedOnlyWhenItsRequestMatters) {
  const std::string good =
      test::filter_body(test::pod_json("p", "default-scheduler"), {test::node_name(0)});
  const std::string odd = R"({"Pod":{"metadata":{"name":"p","namespace":"ns","uid":"u"},)"
                          R"("spec":{"containers":[{"resources":{"requests":{"cpu":"lots"}}}]}},)"
                          R"("NodeNames":["a"]})";
  EXPECT_EQ(post("/plan/filter", odd).status, 200);
  publish(test::PlanBuilder().room(test::node_name(0), {{"cpu", 1}}));
  check("/plan/filter", {{"an odd amount", odd, 400, "lots"}}, good);
  EXPECT_NE(post("/plan/filter", good).body.find(R"("NodeNames":[])"), std::string::npos);
}

TEST_F(HostileJson, Prioritize) {
  const std::string good = test::filter_body(test::pod_json("p", "berth"), {"a"});
  check("/plan/prioritize",
        {
            {"nothing", "", 400, "found nothing"},
            {"half a request", first_half(good), 400, ""},
            {"names of another type", R"({"Pod":{},"NodeNames":"a"})", 400, "expected a list"},
            {"lower-case keys", R"({"pod":{},"nodenames":["a"]})", 200, "[]"},
        },
        good);
}

TEST_F(HostileJson, Preempt) {
  const std::string good = test::testdata("preempt_meta.json");
  check("/guard/preempt",
        {
            {"nothing", "", 400, "found nothing"},
            {"half a request", first_half(good), 400, ""},
            {"a list of nodes", R"({"Pod":{},"NodeNameToMetaVictims":[]})", 400,
             "expected an object"},
            {"a number of victims", R"({"Pod":{},"NodeNameToMetaVictims":{"n":{"Pods":3}}})", 400,
             "expected a list"},
            {"a fraction of violations",
             R"({"Pod":{},"NodeNameToMetaVictims":{"n":{"NumPDBViolations":1.5}}})", 400,
             "expected a 64-bit integer"},
            {"violations beyond 64 bits",
             R"({"Pod":{},"NodeNameToVictims":{"n":{"NumPDBViolations":99999999999999999999}}})",
             400, "expected a 64-bit integer"},
            {"null victims", R"({"Pod":{},"NodeNameToMetaVictims":{"n\"":null}})", 200,
             R"("n\"":{"Pods":[],"NumPDBViolations":0})"},
            {"both forms null",
             R"({"Pod":{},"NodeNameToVictims":null,"NodeNameToMetaVictims":null})", 200, "{}"},
        },
        good);
}

TEST_F(HostileJson, Bind) {
  const std::string good = test::bind_body("p", "n1");
  check("/commit/bind",
        {
            {"nothing", "", 400, "found nothing"},
            {"an empty object", "{}", 400, "\"PodName\" is missing"},
            {"half a request", first_half(good), 400, ""},
            {"a number as node", R"({"PodName":"a","PodNamespace":"b","PodUID":"c","Node":1})", 400,
             "expected a string"},
            {"a null uid", R"({"PodName":"a","PodNamespace":"b","PodUID":null,"Node":"n"})", 400,
             "\"PodUID\" is missing"},
            {"lower-case keys", R"({"podname":"a","podnamespace":"b","poduid":"c","node":"n"})",
             200, "is not planned"},
            {"names that need escapes",
             R"({"PodName":"\"\n","PodNamespace":"b","PodUID":"c","Node":"n"})", 200,
             R"(\"b/\"\u000a\")"},
        },
        good);
}

TEST_F(HostileJson, OtherMethodsAndPathsAreRefused) {
  EXPECT_EQ(client_->get("/plan/filter").value().status, 405);
  EXPECT_EQ(post("/plan/nothing", "{}").status, 404);
}

}  // namespace
}  // namespace berth::extender
