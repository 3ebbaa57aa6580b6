// VIEW-17: a watch that berthd's own watch of pods serves.
#include "apiview/fixture.h"

namespace berth::apiview {
namespace {

constexpr const char* kRunning =
    "&fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed";

struct OwnedWindow {
  podview::PodWindow window{2'000};
  int news = 0;
};

class PodWindowViewTest : protected OwnedWindow, public PodInterceptorTest {
 protected:
  PodWindowViewTest() : PodInterceptorTest(&window) {
    window_->on_news([this] { ++news; });
    window_->listed("9");
  }

  // As kube-scheduler asks.
  Open ask(const std::string& query) { return get(query + kRunning); }
  Open watch(const std::string& version) { return ask("watch=true&resourceVersion=" + version); }
  // A list at version 9, and the memory of its client.
  void list_pods(const std::vector<Sample>& pods) {
    Open listing = ask("limit=500&resourceVersion=0");
    listing.answer(podview::testing::list("9", pods));
    listing.exchange->on_end();
    listing.close();
  }
  void add(const std::string& type, const Sample& pod) {
    window_->event(pod.version, event(type, pod));
    interceptor_.read_window();
  }
  static Sample bound(const std::string& name, const std::string& version) {
    return {.name = name, .version = version, .node = "n1"};
  }
  static std::string line(const std::string& type, const std::string& name, int version) {
    return type + " " + name + " " + std::to_string(version) + " on n1 managed";
  }
};

TEST_F(PodWindowViewTest, VIEW17AWatchAfterAListBeginsWithoutAskingUpstream) {
  list_pods({{.name = "waits", .version = "5"}});
  add("ADDED", bound("a", "11"));
  show({on("waits", "n2")});
  Open open = watch("9");
  EXPECT_TRUE(open.client->has_left);
  EXPECT_EQ(open.client->status, 200);
  EXPECT_EQ(open.events(), (Texts{"ADDED waits 9 (metadata.name In n2)", line("ADDED", "a", 11)}))
      << "the difference first";
  add("MODIFIED", bound("a", "12"));
  add("MODIFIED", {.name = "a", .version = "13", .node = "n1", .phase = "Succeeded"});
  EXPECT_EQ(open.events(), (Texts{line("MODIFIED", "a", 12), line("DELETED", "a", 13)}));
  show({});
  EXPECT_EQ(open.events(), Texts{"DELETED waits 13"});

  open.exchange->on_end();  // its time is over
  EXPECT_TRUE(open.client->has_ended);
  open.close();
  add("ADDED", bound("b", "14"));
  Open next = watch("13");
  EXPECT_TRUE(next.client->has_left);
  EXPECT_EQ(next.events(), Texts{line("ADDED", "b", 14)});
}

TEST_F(PodWindowViewTest, VIEW17AStreamingListJoinsAfterItsBookmark) {
  add("ADDED", bound("a", "11"));
  add("ADDED", bound("b", "12"));
  Open open = ask("watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  open.answer(event("ADDED", bound("a", "11")));
  interceptor_.read_window();
  EXPECT_FALSE(open.client->has_left) << "initial events come in any order";
  open.exchange->on_body(podview::testing::bookmark("11", true));
  EXPECT_TRUE(open.client->has_left);
  EXPECT_EQ(open.events(), (Texts{line("ADDED", "a", 11), "BOOKMARK 11", line("ADDED", "b", 12)}))
      << "what the window has already waits for nothing";
}

TEST_F(PodWindowViewTest, VIEW17AWatchThatIsNewerThanTheWindowJoinsLater) {
  list_pods({});
  window_->listed("7");
  Open open = watch("9");
  EXPECT_FALSE(open.client->has_left);
  EXPECT_EQ(open.client->status, 0) << "upstream answers";
  open.answer(event("ADDED", bound("a", "10")) + event("ADDED", bound("b", "12")));
  add("ADDED", bound("old", "8"));
  add("ADDED", bound("a", "10"));
  EXPECT_FALSE(open.client->has_left);
  const std::string cut = event("ADDED", bound("c", "13"));
  open.exchange->on_body(cut.substr(0, 20));
  EXPECT_EQ(open.events(), (Texts{line("ADDED", "a", 10), line("ADDED", "b", 12)}));
  window_->event("12", event("ADDED", bound("b", "12")));
  window_->event("13", cut);
  interceptor_.read_window();
  EXPECT_TRUE(open.client->has_left);
  EXPECT_EQ(open.events(), Texts{line("ADDED", "c", 13)}) << "each event once";
}

TEST_F(PodWindowViewTest, VIEW17AWatchThatIsOlderThanTheWindowGoesUpstream) {
  list_pods({});
  window_->listed("20");
  Open open = watch("9");
  EXPECT_FALSE(open.client->has_left);
  EXPECT_EQ(open.sent.target.find("resourceVersion=9&") != std::string::npos, true);
  open.answer(event("ADDED", bound("a", "19")));
  EXPECT_FALSE(open.client->has_left);
  open.exchange->on_body(event("ADDED", bound("b", "20")));
  EXPECT_TRUE(open.client->has_left) << "it has come so far";
}

TEST_F(PodWindowViewTest, VIEW17AClientThatSelectsOtherPodsNeverJoins) {
  for (const std::string selector :
       {"", "&fieldSelector=spec.nodeName%3Dn1", "&fieldSelector=status.phase%21%3DFailed",
        "&labelSelector=a%3Db", "&labelSelector="}) {
    list_pods({});
    const bool is_whole = selector.find("labelSelector") != std::string::npos;
    Open open = get("watch=true&resourceVersion=9" + selector + (is_whole ? kRunning : ""));
    EXPECT_FALSE(open.client->has_ended);
    open.answer(event("ADDED", bound("a", "10")));
    add("ADDED", bound("a", "10"));
    EXPECT_FALSE(open.client->has_left) << selector;
    EXPECT_EQ(open.events(), Texts{line("ADDED", "a", 10)});
    window_->listed("9");
  }
}

// It begins with all pods, and nothing says where they end.
TEST_F(PodWindowViewTest, VIEW17AWatchWithoutAVersionNeverJoins) {
  for (const char* query : {"watch=true", "watch=true&resourceVersion=0"}) {
    Open open = ask(query);
    add("ADDED", bound("a", "10"));
    open.answer(event("ADDED", bound("a", "10")) + event("ADDED", bound("old", "5")));
    add("MODIFIED", bound("a", "11"));
    EXPECT_FALSE(open.client->has_left) << query;
    window_->listed("9");
  }
}

TEST_F(PodWindowViewTest, VIEW17AnAnswerOfUpstreamThatIsNoStreamPasses) {
  list_pods({});
  window_->listed("7");
  Open open = watch("9");
  open.exchange->on_head(403, {{"content-type", "application/json"}});
  open.exchange->on_body("forbidden");
  add("ADDED", bound("a", "12"));
  EXPECT_FALSE(open.client->has_left);
  open.exchange->on_end();
  EXPECT_EQ(open.client->text, "forbidden");
}

TEST_F(PodWindowViewTest, VIEW17ASlowClientGoesOnWhenThereIsRoom) {
  list_pods({});
  Open open = watch("9");
  open.client->is_slow = true;
  add("ADDED", bound("a", "11"));
  add("ADDED", bound("b", "12"));
  EXPECT_EQ(open.events(), Texts{});
  open.client->is_slow = false;
  open.exchange->on_room();
  EXPECT_EQ(open.events(), (Texts{line("ADDED", "a", 11), line("ADDED", "b", 12)}));
  open.exchange->on_room();
  EXPECT_EQ(open.events(), Texts{});
}

// The client lists with the version that it has, and the view knows what it knew.
TEST_F(PodWindowViewTest, VIEW17AClientThatFallsOutOfTheWindowGoesOnUpstream) {
  list_pods({{.name = "waits", .version = "5"}});
  show({on("waits", "n2")});
  Open open = watch("9");
  add("ADDED", bound("a", "100"));
  EXPECT_EQ(open.events().size(), 2U);
  open.client->is_slow = true;
  for (int i = 101; i < 130; ++i) add("MODIFIED", bound("a", std::to_string(i)));
  open.client->is_slow = false;
  open.exchange->on_room();
  EXPECT_EQ(open.events(), Texts{});
  EXPECT_TRUE(open.client->has_ended);
  open.close();
  Open next = watch("100");
  EXPECT_FALSE(next.client->has_left) << "upstream is asked";
  EXPECT_FALSE(next.client->has_ended);
  next.answer(event("MODIFIED", bound("a", "128")));
  EXPECT_EQ(next.events(), (Texts{"MODIFIED a 128 on n1 managed", "MODIFIED a 129 on n1 managed"}));
  EXPECT_TRUE(next.client->has_left);
}

TEST_F(PodWindowViewTest, VIEW17AClientListsAgainAfterBerthdHas) {
  list_pods({});
  Open open = watch("9");
  add("ADDED", bound("a", "11"));
  open.events();
  window_->listed("11");
  EXPECT_GT(news, 0);
  interceptor_.read_window();
  EXPECT_EQ(open.events(), Texts{"ERROR 410"});
  EXPECT_TRUE(open.client->has_ended);
  interceptor_.read_window();
  interceptor_.follow();
  EXPECT_EQ(open.events(), Texts{}) << "it is over";
}

TEST_F(PodWindowViewTest, VIEW17AFrameThatCannotBeReadBreaksTheStreamAndIsReported) {
  list_pods({});
  Open open = watch("9");
  window_->event("10", std::string("\0\0\0\2\x0a\x09", 6));
  window_->event("11", event("ADDED", bound("a", "11")));
  interceptor_.read_window();
  EXPECT_TRUE(open.client->is_broken);
  EXPECT_EQ(complaints_.size(), 1U);
  EXPECT_EQ(open.client->text, "");
}

TEST_F(PodWindowViewTest, VIEW5DeferredPodsOfAWindowWantAnotherLook) {
  list_pods({});
  Open open = watch("9");
  calls_.stages["new"] = ports::Attempts::Stage::open;
  show({on("new", "n1")});
  add("ADDED", {.name = "new", .version = "12"});
  EXPECT_TRUE(interceptor_.has_deferred());
  calls_.stages.clear();
  interceptor_.follow();
  EXPECT_EQ(open.events(), Texts{"ADDED new 12 (metadata.name In n1)"});
}

}  // namespace
}  // namespace berth::apiview
