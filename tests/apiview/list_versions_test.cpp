// Which version of the pods a client has when it lists, and what its list leaves out.
#include "apiview/fixture.h"

namespace berth::apiview {
namespace {

// berthd was restarted: what the client says is all that the view knows.
TEST_F(PodInterceptorTest, VIEW14AListBeginsWithTheVersionThatTheClientNames) {
  const std::vector<Sample> pods = {
      {.name = "old", .version = "5", .node = "n1"},
      {.name = "same", .version = "12", .uid = "another", .node = "n2"},
      {.name = "waits", .version = "13"}};
  Open listing = get("resourceVersion=10");
  EXPECT_EQ(listing.sent.target, "/api/v1/pods?resourceVersion=10");
  listing.answer(podview::testing::list("20", pods));
  listing.exchange->on_end();
  EXPECT_EQ(podview::testing::items_of(listing.client->text),
            (Texts{"old 5 on n1 managed", "list 20"}));
  listing.close();
  show({on("waits", "n3")});
  Open watch = get("watch=true&resourceVersion=20");
  watch.answer("");
  EXPECT_EQ(watch.events(), (Texts{"ADDED same 20 on n2", "ADDED waits 20 (metadata.name In n3)"}));

  Open streaming = get("watch=true&sendInitialEvents=true&resourceVersion=10");
  streaming.answer(event("ADDED", pods[1]));
  EXPECT_EQ(streaming.events(), Texts{});
  for (const char* query : {"resourceVersion=0", "limit=500",
                            "resourceVersion=10&"
                            "resourceVersionMatch=Exact"}) {
    Open whole = get(query);
    whole.answer(podview::testing::list("20", pods));
    whole.exchange->on_end();
    EXPECT_EQ(podview::testing::items_of(whole.client->text).size(), 4u) << query;
  }
}

// Undelivered, the stream is the client's up to some event. Then it says which.
TEST_F(PodInterceptorTest, VIEW14WhatIsKeptOfAClientIsOfTheVersionThatItNames) {
  for (const char* version : {"9", "8"}) {
    list("9", {{.name = "waits", .version = "5"}}).close();
    Open watch = get("watch=true&resourceVersion=9");
    watch.answer("");
    show({on("waits", "n2")});
    watch.exchange->on_end();
    watch.close();
    Open listing = get(std::string("resourceVersion=") + version);
    listing.answer(podview::testing::list("20", {{.name = "waits", .version = "5"}}));
    listing.exchange->on_end();
    const bool is_known = version == std::string("9");
    EXPECT_EQ(podview::testing::items_of(listing.client->text).size(), is_known ? 2u : 1u);
    listing.close();
    show({});
  }
}

TEST_F(PodInterceptorTest, VIEW15AClientNeverLearnsThatItsVersionIsNotAvailable) {
  for (const int status : {410, 504}) {
    Open listing = get("resourceVersion=10");
    listing.exchange->on_head(status, {{"content-type", "application/json"}, {"retry-after", "1"}});
    EXPECT_EQ(listing.client->status, 503);
    EXPECT_TRUE(listing.client->has_ended);
    listing.exchange->on_body("too large");
    listing.exchange->on_end();
    EXPECT_EQ(listing.client->text.find("too large"), std::string::npos);
    listing.close();

    Open again = get("resourceVersion=10");
    EXPECT_EQ(again.sent.target, "/api/v1/pods?resourceVersion=") << "any version will do";
    again.answer(podview::testing::list("20", {{.name = "same", .version = "12", .node = "n2"}}));
    again.exchange->on_end();
    EXPECT_EQ(podview::testing::items_of(again.client->text), Texts{"list 20"});
    again.close();
    EXPECT_EQ(get("resourceVersion=20").sent.target, "/api/v1/pods?resourceVersion=20");
  }
  const std::string query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  Open refused = get(query + "&resourceVersion=10");
  refused.exchange->on_head(410, {{"content-type", "application/json"}});
  EXPECT_EQ(refused.client->status, 503);
  refused.close();
  Open broken = get(query + "&resourceVersion=10");
  broken.answer(podview::testing::error(504, "Timeout"));
  EXPECT_EQ(broken.client->text, "");
  EXPECT_TRUE(broken.client->has_ended) << "the client falls back to a list";
  broken.close();
  Open listing = get("resourceVersion=10");
  listing.exchange->on_head(504, {{"content-type", "application/json"}});
  listing.close();
  Open latest = get(query + "&resourceVersion=10");
  EXPECT_EQ(latest.sent.target, "/api/v1/pods?" + query + "&resourceVersion=");
}

TEST_F(PodInterceptorTest, VIEW15OtherErrorsPass) {
  Open unnamed = get("limit=500");
  unnamed.exchange->on_head(504, {{"content-type", "application/json"}});
  EXPECT_EQ(unnamed.client->status, 504);
  Open refused = get("resourceVersion=10");
  refused.exchange->on_head(403, {{"content-type", "application/json"}});
  EXPECT_EQ(refused.client->status, 403);
}

}  // namespace
}  // namespace berth::apiview
