#include "daemon/endpoints.h"

#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <variant>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/temporary_directory.h"
#include "kube/manifests.h"
#include "views/queue_document.h"
#include "views/reservation_document.h"

namespace berth::daemon {
namespace {

using Json = nlohmann::json;

// One berthd for all of them: none changes it.
class EndpointsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TemporaryDirectory();
    const std::string file =
        directory_->write("all.yaml", nodes_yaml(2, 4) + gang_yaml("g", 2, 1000));
    berthd_ = new BerthdProcess({"--embedded", file, "--log-json"});
    ASSERT_TRUE(berthd_->says("job ml/g is Running")) << berthd_->printed();
  }
  static void TearDownTestSuite() {
    delete berthd_;
    delete directory_;
  }
  static BerthdProcess& berthd() { return *berthd_; }

  inline static TemporaryDirectory* directory_ = nullptr;
  inline static BerthdProcess* berthd_ = nullptr;
};

TEST_F(EndpointsTest, ProbesAnswer) {
  for (const char* path : {"/healthz", "/livez", "/readyz"}) {
    const http::Reply reply = berthd().get(path);
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_EQ(reply.body, "ok") << path;
    EXPECT_TRUE(reply.header("content-type").starts_with("text/plain")) << path;
  }
}

TEST_F(EndpointsTest, VersionSaysWhatThisIs) {
  const http::Reply reply = berthd().get("/version");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(Json::parse(reply.body), (Json{{"apiVersion", "berth.dev/v1"},
                                           {"kind", "Version"},
                                           {"name", "berthd"},
                                           {"version", BERTH_VERSION}}));
}

TEST_F(EndpointsTest, ConfigzShowsTheConfigurationInForce) {
  const http::Reply reply = berthd().get("/configz");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("content-type"), "application/json");
  const Json config = Json::parse(reply.body);
  EXPECT_EQ(config["source"], "built-in default");
  EXPECT_EQ(config["effective"]["actions"][1], "enqueue");
}

TEST_F(EndpointsTest, MetricsCountWhatHasHappened) {
  const http::Reply reply = berthd().get("/metrics");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(berthd().metric("berth_state{what=\"ready\"}"), 1);
  EXPECT_EQ(berthd().metric("berth_decisions_total{kind=\"bind\"}"), 2);
  EXPECT_GE(berthd().metric("berth_cluster_events_total"), 5);
  EXPECT_GE(berthd().metric("berth_session_duration_seconds_count"), 1);
  EXPECT_TRUE(berthd().eventually([] {
    return berthd().metric("berth_extender_calls_total{outcome=\"bound\",verb=\"bind\"}") == 2;
  }));
}

TEST_F(EndpointsTest, QueuesAreAsTheLastSessionLeftThem) {
  const auto is_running = [] {
    return berthd().metric("berth_queue_jobs{queue=\"default\",phase=\"Running\"}") == 1;
  };
  EXPECT_TRUE(berthd().eventually(is_running));
  EXPECT_EQ(berthd().metric("berth_queue_allocated{queue=\"default\",resource=\"cpu\"}"), 2);
  const http::Reply reply = berthd().get("/queues");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("content-type"), "application/json");
  const auto table = views::read_queue_table(reply.body, "/queues");
  ASSERT_TRUE(table) << table.error().to_string();
  ASSERT_EQ(table->rows.size(), 1U);
  EXPECT_EQ(table->rows[0].name, "default");
  EXPECT_EQ(table->named(table->allocated, 0).at("cpu"), 2000);
}

TEST_F(EndpointsTest, ReservationsAreAsTheLastSessionLeftThem) {
  const http::Reply reply = berthd().get("/reservations");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("content-type"), "application/json");
  const auto table = views::read_reservation_table(reply.body, "/reservations");
  ASSERT_TRUE(table) << table.error().to_string();
  EXPECT_EQ(table->node_count, 2U);
  EXPECT_EQ(table->total.at("cpu"), 8000);
  EXPECT_TRUE(table->rows.empty()) << "nobody waits";
  EXPECT_EQ(berthd().metric("berth_targets"), 0);
  EXPECT_EQ(berthd().metric("berth_locked_room{resource=\"cpu\"}"), 0);
}

TEST_F(EndpointsTest, TheSnapshotIsAListThatAPlanReads) {
  const auto is_running = [] {
    return berthd().metric("berth_queue_jobs{queue=\"default\",phase=\"Running\"}") == 1;
  };
  EXPECT_TRUE(berthd().eventually(is_running));
  const http::Reply reply = berthd().get("/snapshot");
  ASSERT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("content-type"), "application/json");
  const auto manifests = kube::parse_manifests(reply.body, "snapshot.json");
  ASSERT_TRUE(manifests) << manifests.error().to_string();
  EXPECT_TRUE(manifests->ignored.empty());
  std::size_t nodes = 0;
  std::size_t groups = 0;
  std::size_t pods = 0;
  for (const ClusterEvent& event : manifests->events) {
    nodes += std::holds_alternative<NodeObject>(event) ? 1U : 0U;
    groups += std::holds_alternative<PodGroupObject>(event) ? 1U : 0U;
    const auto* const pod = std::get_if<PodObject>(&event);
    if (pod == nullptr) continue;
    ++pods;
    EXPECT_EQ(pod->group, "g");
    EXPECT_EQ(pod->scheduler_name, "berth");
    EXPECT_EQ(pod->request.at("cpu"), 1000);
    EXPECT_FALSE(pod->node_name.empty());
  }
  EXPECT_EQ(nodes, 2U);
  EXPECT_EQ(groups, 1U);
  EXPECT_EQ(pods, 2U);
}

TEST_F(EndpointsTest, EvictionsAreThoseOfTheLastHour) {
  EXPECT_TRUE(berthd().eventually([] { return berthd().get("/evictions").status == 200; }));
  const http::Reply reply = berthd().get("/evictions");
  EXPECT_EQ(reply.header("content-type"), "application/json");
  const Json page = Json::parse(reply.body);
  EXPECT_EQ(page["kind"], "Evictions");
  EXPECT_EQ(page["repeatedly"], 0);
  EXPECT_EQ(page["jobs"], Json::array());
  EXPECT_EQ(berthd().metric("berth_jobs_evicted_repeatedly"), 0);
}

TEST_F(EndpointsTest, AnUnknownPathIs404) {
  for (const char* path : {"/", "/healthz/", "/plan", "/plan/filter/x", "/Healthz"}) {
    EXPECT_EQ(berthd().get(path).status, 404) << path;
  }
}

TEST_F(EndpointsTest, AnotherMethodIs405AndSaysWhichIsAllowed) {
  for (const char* path : {"/healthz", "/metrics", "/queues", "/reservations", "/evictions",
                           "/snapshot", "/configz", "/version"}) {
    const http::Reply reply = berthd().post(path, "{}");
    EXPECT_EQ(reply.status, 405) << path;
    EXPECT_EQ(reply.header("allow"), "GET") << path;
  }
  const http::Reply reply = berthd().exchange("DELETE", "/plan/filter");
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.header("allow"), "POST");
}

TEST_F(EndpointsTest, MalformedCallsAreRefusedAndOthersGoOn) {
  for (const char* path : {"/plan/filter", "/plan/prioritize", "/commit/bind", "/guard/preempt"}) {
    EXPECT_EQ(berthd().post(path, "{\"Pod\":").status, 400) << path;
  }
  EXPECT_EQ(berthd().get("/readyz").status, 200);
}

TEST_F(EndpointsTest, EveryLineOfTheJsonLogIsAnObject) {
  const std::string printed = berthd().printed();
  std::size_t lines = 0;
  for (std::size_t at = 0; at < printed.size(); ++lines) {
    const std::size_t end = printed.find('\n', at);
    const Json line = Json::parse(printed.substr(at, end - at), nullptr, false);
    EXPECT_TRUE(line.is_object()) << printed.substr(at, end - at);
    at = end + 1;
  }
  EXPECT_GE(lines, 3u);
}

}  // namespace
}  // namespace berth::daemon
