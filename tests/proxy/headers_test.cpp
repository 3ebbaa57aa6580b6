#include "proxy/headers.h"

#include <gtest/gtest.h>

#include "proxy/answers.h"

namespace berth::proxy::headers_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

Refusal refusal_of(const Fields& fields, Request* into = nullptr) {
  HeaderBlock block(1000, 10);
  for (const auto& [name, value] : fields) block.add(name, value);
  Request request;
  const Refusal refusal = block.finish(request);
  if (into != nullptr) *into = std::move(request);
  return refusal;
}

Fields get(const std::string& target, const Fields& more = {}) {
  Fields fields = {{":method", "GET"}, {":path", target}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

std::string text_of(const Headers& headers) {
  std::string text;
  for (const Header& header : headers) text += header.name + "=" + header.value + ";";
  return text;
}

TEST(HeaderBlockTest, KeepsTheTargetAsItIs) {
  const std::string target = "/api/v1/pods?watch=true&fieldSelector=a%21=b,c!=d&x=..//%2F{}|;/";
  Request request;
  EXPECT_EQ(refusal_of(get(target), &request).status, 0);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, target);
}

TEST(HeaderBlockTest, VIEW8KeepsTheCallersHeadersAndDropsThoseOfTheConnection) {
  Request request;
  const Fields sent = {{"authorization", "Bearer x"},
                       {"impersonate-user", "me"},
                       {"user-agent", "scheduler"},
                       {"accept", "a, b"},
                       {"te", "trailers"},
                       {"keep-alive", "1"},
                       {"proxy-authorization", "x"},
                       {"host", "elsewhere"},
                       {"expect", "100-continue"},
                       {"x-remote-user", "admin"},
                       {"x-remote-extra-a", "b"}};
  HeaderBlock block(10'000, 20);
  for (const auto& [name, value] : get("/", sent)) block.add(name, value);
  EXPECT_EQ(block.finish(request).status, 0);
  EXPECT_EQ(text_of(request.headers),
            "authorization=Bearer x;impersonate-user=me;user-agent=scheduler;accept=a, b;");
}

TEST(HeaderBlockTest, RefusesHostileTargets) {
  for (const std::string target : {"", "*", "pods", "http://elsewhere/api", "//\n", "/a b", "/a\tb",
                                   "/a\r\nx: y", "/a#b", "/\\a", "/\x7f", "/\xc3\xa4"}) {
    EXPECT_EQ(refusal_of(get(target)).status, 400) << target;
  }
  EXPECT_EQ(refusal_of(get(std::string("/a\0b", 4))).status, 400);
}

// As an API server's router splits and decodes them, most of these are /api/v1/pods.
TEST(HeaderBlockTest, VIEW16RefusesPathsThatAreNotInTheirNormalForm) {
  for (const std::string path : {"/api/v1/%70ods",
                                 "/api/v1/pod%73",
                                 "/%61pi/v1/pods",
                                 "/api%2fv1%2Fpods",
                                 "/api/v1%2Fpods",
                                 "//api/v1/pods",
                                 "/api//v1/pods",
                                 "/api/v1//pods",
                                 "/api/v1/pods/",
                                 "/api/v1/pods//",
                                 "/./api/v1/pods",
                                 "/api/./v1/pods",
                                 "/api/v1/./pods",
                                 "/api/v1/pods/.",
                                 "/api/v1/pods/..",
                                 "/api/v1/x/../pods",
                                 "/api/v1/pods/%2e",
                                 "/api/v1/%2e%2e/v1/pods",
                                 "/api/v1/pods;",
                                 "/api/v1/pods;v=1",
                                 "/api;/v1/pods",
                                 "/api/v1/pods%3Fwatch=1",
                                 "/api/v1/pods%00",
                                 "/api/v1/pods%",
                                 "/api/v1/pods%2",
                                 "/api/v1/pods%zz",
                                 "//",
                                 "/%",
                                 "/%2F",
                                 "/..",
                                 "/.",
                                 "/api/v1/namespaces/default/pods/a/status/",
                                 "/api/v1/namespaces//pods/a/status",
                                 "/api/v1/namespaces/default/pods/%61/status",
                                 "/api/v1/namespaces/default/pods/a/./status",
                                 "/api/v1/pods\"",
                                 "/api/v1/{pods}",
                                 "/api/v1/pods|",
                                 "/api/v1/pods'"}) {
    for (const char* query : {"", "?watch=1", "?"}) {
      const Refusal refusal = refusal_of(get(path + query));
      EXPECT_EQ(refusal.status, 400) << path << query;
      EXPECT_NE(refusal.why.find("normal form"), std::string::npos) << refusal.why;
    }
  }
}

TEST(HeaderBlockTest, VIEW16PassesThePathsThatClientsOfKubernetesUse) {
  for (const std::string path :
       {"/",
        "/api",
        "/apis",
        "/version",
        "/openapi/v2",
        "/openapi/v3/apis/apps/v1",
        "/livez",
        "/api/v1",
        "/api/v1/pods",
        "/api/v1/persistentvolumeclaims",
        "/apis/events.k8s.io/v1",
        "/apis/events.k8s.io/v1/namespaces/default/events",
        "/apis/events.k8s.io/v1/namespaces/default/events/a-0.18a2b3c4d5e6f708",
        "/api/v1/namespaces/default/pods/a-0/binding",
        "/api/v1/namespaces/default/pods/a-0/status",
        "/apis/resource.k8s.io/v1/namespaces/a/resourceclaims/b-0-gpu-x7k2p/status",
        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler",
        "/apis/authentication.k8s.io/v1/tokenreviews",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:kube-scheduler",
        "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
        "/api/v1/namespaces/a/services/https:web:443/proxy/metrics",
        "/apis/custom.metrics.k8s.io/v1beta2/namespaces/a/pods/*/used_bytes"}) {
    for (const char* query : {"", "?watch=1", "?x=%2e%2e//;", "?"}) {
      EXPECT_EQ(refusal_of(get(path + query)).status, 0) << path << query;
    }
  }
}

TEST(HeaderBlockTest, RefusesMethodsThatOpenTunnelsOrAreUnknown) {
  for (const char* method :
       {"CONNECT", "TRACE", "get", "Get", "pATCH", " GET", "GET ", "", "GET /x HTTP/1.1\r\n"}) {
    EXPECT_NE(refusal_of({{":method", method}, {":path", "/"}}).status, 0) << method;
  }
  EXPECT_EQ(refusal_of({{":method", "CONNECT"}, {":path", "/"}}).status, 405);
}

TEST(HeaderBlockTest, RefusesHeadersThatTwoReadersMayUnderstandDifferently) {
  const Fields hostile = {{"content-length", "-1"},
                          {"content-length", "1, 1"},
                          {"content-length", ""},
                          {"connection", "close"},
                          {"upgrade", "websocket"},
                          {"transfer-encoding", "chunked"},
                          {"a b", "c"},
                          {"A", "b"},
                          {"", "b"},
                          {"a", "b\r\nc: d"},
                          {"a:b", "c"},
                          {":protocol", "websocket"}};
  for (const auto& field : hostile) {
    EXPECT_EQ(refusal_of(get("/", {field})).status, 400) << field.first << ": " << field.second;
  }
  EXPECT_EQ(refusal_of(get("/", {{"content-length", "1"}, {"content-length", "1"}})).status, 400);
  EXPECT_EQ(refusal_of(get("/", {{"a", std::string("b\0c", 3)}})).status, 400);
}

TEST(HeaderBlockTest, BoundsTheNumberAndTheSizeOfHeaders) {
  EXPECT_EQ(refusal_of(get("/", Fields(8, {"a", "b"}))).status, 0);
  EXPECT_EQ(refusal_of(get("/", Fields(9, {"a", "b"}))).status, 431);
  EXPECT_EQ(refusal_of(get("/", {{"a", std::string(800, 'b')}})).status, 0);
  EXPECT_EQ(refusal_of(get("/", {{"a", std::string(1000, 'b')}})).status, 431);
}

TEST(HeaderLineTest, OfTheConnectionStaysUpstream) {
  for (const char* name : {"connection", "transfer-encoding", "keep-alive", "upgrade", "trailer"}) {
    EXPECT_FALSE(passes_downstream({name, "x"})) << name;
  }
  EXPECT_TRUE(passes_downstream({"content-length", "3"}));
  EXPECT_TRUE(passes_downstream({"retry-after", "1"}));
}

TEST(StatusAnswerTest, IsAStatusOfKubernetes) {
  const Answer answer = status_answer(502, "no \"x\"\n\xff");
  EXPECT_EQ(answer.status, 502);
  EXPECT_EQ(text_of(answer.headers), "content-type=application/json;");
  EXPECT_EQ(answer.body,
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
            "\"no \\\"x\\\"\xEF\xBF\xBD\xEF\xBF\xBD\""
            R"(,"reason":"ServiceUnavailable","code":502})"
            "\n");
}

}  // namespace
}  // namespace berth::proxy::headers_test
