#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "page/names.h"
#include "page/stream.h"

namespace berth::page::viewers_test {
namespace {

using Json = nlohmann::json;

struct Asker final : http::Responder::Exchange {
  void answer(http::Response response) override { body = std::move(response.body); }
  void on_disconnect(std::function<void()>) override {}
  Json document() const { return body.empty() ? Json() : Json::parse(body); }
  std::string body;
};

// Answers by say().
struct SetViewer final : ports::Viewer {
  void see(std::set<std::string> namespaces, Done done) override {
    asked.insert(namespaces.begin(), namespaces.end());
    waiting.push_back(std::move(done));
  }
  void say(std::set<std::string, std::less<>> names, bool is_all = false) {
    const auto seen =
        std::make_shared<ports::SeenNamespaces>(ports::SeenNamespaces{is_all, std::move(names)});
    for (const Done& each : std::exchange(waiting, {})) each(seen);
  }
  std::set<std::string> asked;
  std::vector<Done> waiting;
};

// Callers of a state with jobs of two namespaces.
class ViewersTest : public testing::Test {
 protected:
  void SetUp() override {
    ask(nullptr);
    put({"ml/a", "web/b"});
  }
  std::shared_ptr<Asker> ask(std::shared_ptr<ports::Viewer> viewer, const Json& known = {}) {
    auto asker = std::make_shared<Asker>();
    std::string query;
    if (known.is_object()) {
      query = "instance=" + known["instance"].get<std::string>() +
              "&after=" + std::to_string(known["version"].get<std::uint64_t>());
    }
    stream_.request(query, http::Responder(asker), std::move(viewer));
    stream_.turn();
    return asker;
  }
  void put(const std::vector<std::string>& jobs) {
    Batch batch;
    batch.is_whole = true;
    for (const std::string& name : jobs) {
      JobPart job;
      job.id = static_cast<std::int64_t>(batch.jobs.size());
      job.name = name;
      batch.jobs.push_back(std::move(job));
    }
    clock_.advance(Stream::kPeriod);
    stream_.turn();
    ASSERT_TRUE(take_);
    std::exchange(take_, nullptr)(std::move(batch));
    stream_.turn();
  }
  Json answered(const std::shared_ptr<Asker>& asker, std::set<std::string, std::less<>> names) {
    viewer_->say(std::move(names));
    stream_.turn();
    return asker->document();
  }
  static std::vector<std::string> names_of(const Json& document) {
    std::vector<std::string> names;
    for (const Json& job : document["set"].value("jobs", Json::array())) names.push_back(job[1]);
    return names;
  }
  using Names = std::vector<std::string>;
  const std::string hidden_{kHidden};

  ManualClock clock_{TimePoint(std::chrono::hours(1))};
  History history_;
  Stream::Take take_;
  std::shared_ptr<SetViewer> viewer_ = std::make_shared<SetViewer>();
  Stream stream_{{.instance = "one",
                  .version = "0",
                  .ask = [this](Stream::Take take) { take_ = std::move(take); },
                  .history = history_,
                  .queues = [] { return nullptr; },
                  .reservations = [] { return nullptr; },
                  .real_clock = clock_}};
};

TEST_F(ViewersTest, PAGE14_AnAnswerWaitsForWhatItsCallerSees) {
  const auto asker = ask(viewer_);
  EXPECT_TRUE(asker->document().is_null());
  EXPECT_EQ(viewer_->asked, (std::set<std::string>{"ml", "web"}));
  const Json document = answered(asker, {"ml"});
  EXPECT_EQ(names_of(document), (Names{"ml/a", hidden_}));
  EXPECT_EQ(asker->body.find("web"), std::string::npos) << asker->body;
  EXPECT_EQ(names_of(ask(nullptr)->document()), (Names{"ml/a", "web/b"}));
}

TEST_F(ViewersTest, PAGE14_OneWhoSeesAllHasTheAnswerOfAll) {
  const auto asker = ask(viewer_);
  viewer_->say({}, true);
  stream_.turn();
  EXPECT_EQ(asker->body, ask(nullptr)->body);
}

TEST_F(ViewersTest, PAGE14_AnAnswerIsWholeOnceItsCallerSeesOtherNames) {
  const Json first = answered(ask(viewer_), {"ml"});
  EXPECT_EQ(first["whole"], true);
  auto waits = ask(viewer_, first);
  put({"ml/a2", "web/b"});
  const Json second = answered(waits, {"ml"});
  EXPECT_EQ(second["whole"], false);
  EXPECT_EQ(names_of(second), (Names{"ml/a2"}));
  waits = ask(viewer_, second);
  put({"ml/a3", "web/b"});
  const Json third = answered(waits, {"ml", "web"});
  EXPECT_EQ(third["whole"], true);
  EXPECT_EQ(names_of(third), (Names{"ml/a3", "web/b"}));
  waits = ask(viewer_, third);
  put({"ml/a4", "web/b"});
  const Json fourth = answered(waits, {});
  EXPECT_EQ(fourth["whole"], true);
  EXPECT_EQ(names_of(fourth), (Names{hidden_, hidden_}));
}

TEST_F(ViewersTest, PAGE14_ANamespaceThatComesMeanwhileIsHidden) {
  const auto asker = ask(viewer_);
  put({"ml/a", "late/c"});
  EXPECT_EQ(names_of(answered(asker, {"ml"})), (Names{"ml/a", hidden_}));
}

TEST_F(ViewersTest, PAGE14_AViewerWhoIsNeverKnownKeepsNobodyBusy) {
  const auto asker = ask(viewer_);
  for (const int seconds : {1, 20, 60}) {
    clock_.advance(std::chrono::seconds(seconds));
    EXPECT_GT(stream_.turn(), clock_.now()) << seconds;
  }
  EXPECT_TRUE(asker->document().is_null());
}

}  // namespace
}  // namespace berth::page::viewers_test
