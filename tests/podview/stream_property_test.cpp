// Random lives of pods, plans and calls, and a client that keeps what it is sent. The client's
// store must be what the rules say, and each event must be allowed at its time.
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "podview/fixture.h"

namespace berth::podview {
namespace {

using testing::Sample;
using testing::Texts;

class World {
 public:
  explicit World(unsigned seed) : random_(seed) {}

  void step() {
    switch (random_() % 12) {
      case 0:
      case 1:
        return create();
      case 2:
        return change();
      case 3:
        return bind();
      case 4:
        return remove();
      case 5:
        return send(testing::bookmark(next_version()));
      case 6:
      case 7:
        return plan();
      case 8:
        return call();
      case 9:
        return follow();
      case 10:
        if (random_() % 2 == 0) return watch_again();
        return random_() % 2 == 0 ? list_again() : list_by_stream();
      default:
        return follow();
    }
  }

  // No call is open any more: the client has what the table and upstream say.
  void settle() {
    for (auto& [uid, stage] : calls_.stages) stage = Stage::none;
    follow();
    EXPECT_FALSE(stream_.has_deferred());
    std::map<std::string, std::string> expected;
    for (const auto& [name, pod] : upstream_) {
      const ports::ShownPod* as = table_->find(pod.uid);
      if (!pod.node.empty()) {
        expected[name] = "on " + pod.node;
      } else if (as != nullptr && (!pod.is_terminating || store_.contains(name))) {
        expected[name] = "(metadata.name In " + as->node + ")";
      }
    }
    EXPECT_EQ(store_, expected);
  }

 private:
  std::string next_version() { return std::to_string(++version_); }
  std::string any_name() { return "p" + std::to_string(random_() % 8); }
  std::string any_node() { return "n" + std::to_string(random_() % 3); }

  void create() {
    const std::string name = any_name();
    if (upstream_.contains(name)) return;
    Sample& pod = upstream_[name];
    pod = {.name = name, .version = next_version(), .uid = name + "-" + std::to_string(version_)};
    send(testing::event("ADDED", pod));
  }
  void change() {
    const auto found = upstream_.find(any_name());
    if (found == upstream_.end()) return;
    found->second.version = next_version();
    if (random_() % 4 == 0) found->second.is_terminating = true;
    send(testing::event("MODIFIED", found->second));
  }
  // kube-scheduler binds a pod that it knows.
  void bind() {
    const std::string name = any_name();
    const auto found = upstream_.find(name);
    if (found == upstream_.end() || !found->second.node.empty() || !store_.contains(name)) return;
    calls_.stages[found->second.uid] = Stage::binding;
    follow();
    if (random_() % 2 == 0) return;  // it may still fail
    found->second.version = next_version();
    found->second.node = any_node();
    send(testing::event("MODIFIED", found->second));
  }
  void remove() {
    const auto found = upstream_.find(any_name());
    if (found == upstream_.end()) return;
    Sample pod = found->second;
    upstream_.erase(found);
    pod.version = next_version();
    send(testing::event("DELETED", pod));
  }
  void plan() {
    std::vector<ports::ShownPod> pods;
    for (const auto& [name, pod] : upstream_) {
      const ports::ShownPod* old = table_->find(pod.uid);
      const bool stays = old != nullptr && random_() % 2 == 0;
      if (stays) pods.push_back(*old);
      if (stays || random_() % 2 == 0) continue;
      pods.push_back({pod.uid, "default", name, any_node(), false, ++attempt_});
    }
    std::shuffle(pods.begin(), pods.end(), random_);
    table_ = table_of(std::move(pods));
  }
  void call() {
    const auto found = upstream_.find(any_name());
    if (found == upstream_.end()) return;
    const bool is_open = store_.contains(found->first) && random_() % 2 == 0;
    calls_.stages[found->second.uid] = is_open ? Stage::open : Stage::none;
  }
  void watch_again() {
    stream_ = PodStream::resumed(std::move(stream_).end(), managed_, calls_);
    follow();
  }
  void list_again() {
    std::vector<Sample> pods;
    for (const auto& [name, pod] : upstream_) pods.push_back(pod);
    Memory memory = Memory::listing_again(std::move(stream_).end());
    const auto body =
        filter_list(testing::list(next_version(), pods), managed_, *table_, calls_, memory);
    ASSERT_TRUE(body);
    const auto before = std::exchange(store_, {});
    for (const std::string& line : testing::items_of(*body)) {
      if (!line.starts_with("list")) keep("ADDED " + line);
    }
    check_list(before);
    stream_ = PodStream::resumed(std::move(memory), managed_, calls_);
  }
  void list_by_stream() {
    stream_ = PodStream::listing(Memory::listing_again(std::move(stream_).end()), managed_, calls_);
    std::string out;
    stream_.follow(table_, out);
    for (const auto& [name, pod] : upstream_) {
      ASSERT_TRUE(stream_.take(testing::event("ADDED", pod), out));
    }
    ASSERT_TRUE(stream_.take(testing::bookmark(next_version(), true), out));
    const auto before = std::exchange(store_, {});
    bool is_listed = false;
    for (const std::string& line : testing::events_of(out)) {
      if (is_listed) check(line);
      keep(line);
      if (line.starts_with("BOOKMARK")) check_list(before);
      is_listed = is_listed || line.starts_with("BOOKMARK");
    }
    ASSERT_TRUE(is_listed);
  }
  // `before`: the store before a list has replaced it.
  void check_list(const std::map<std::string, std::string>& before) const {
    for (const auto& [name, what] : before) {
      const auto pod = upstream_.find(name);
      if (pod == upstream_.end() || !pod->second.node.empty()) continue;
      const auto now = store_.find(name);
      EXPECT_TRUE(now == store_.end() || now->second == what) << "VIEW-6: " << name;
      const bool is_binding = calls_.of(pod->second.uid) == Stage::binding;
      EXPECT_TRUE(now != store_.end() || !is_binding) << "VIEW-5: " << name;
    }
    for (const auto& [name, what] : store_) {
      const auto pod = upstream_.find(name);
      if (pod == upstream_.end() || !pod->second.node.empty() || before.contains(name)) continue;
      EXPECT_EQ(calls_.of(pod->second.uid), Stage::none) << "VIEW-5: " << name << " is new";
    }
  }

  void send(const std::string& bytes) {
    std::string out;
    const std::size_t cut = random_() % (bytes.size() + 1);
    ASSERT_TRUE(stream_.take(bytes.substr(0, cut), out));
    ASSERT_TRUE(stream_.take(bytes.substr(cut), out));
    receive(out);
  }
  void follow() {
    std::string out;
    stream_.follow(table_, out);
    receive(out);
  }
  void receive(const std::string& out) {
    for (const std::string& line : testing::events_of(out)) {
      check(line);
      keep(line);
    }
  }

  void check(const std::string& line) {
    std::istringstream words(line);
    std::string type, name;
    std::uint64_t version = 0;
    words >> type;
    if (type != "BOOKMARK") words >> name;
    words >> version;
    EXPECT_GE(version, sent_) << "VIEW-4: " << line;
    sent_ = version;
    const auto pod = upstream_.find(name);
    if (pod == upstream_.end() || !pod->second.node.empty()) return;
    const Stage stage = calls_.of(pod->second.uid);
    if (type == "ADDED") {
      EXPECT_FALSE(store_.contains(name)) << line;
      EXPECT_EQ(stage, Stage::none) << "VIEW-5: " << line;
    } else {
      EXPECT_TRUE(store_.contains(name)) << line;
      if (type == "DELETED") {
        EXPECT_NE(stage, Stage::binding) << "VIEW-5: " << line;
      }
    }
  }

  void keep(const std::string& line) {
    std::istringstream words(line);
    std::string type, name, version, what;
    words >> type >> name >> version;
    std::getline(words >> std::ws, what);
    if (const auto managed = what.find(" managed"); managed != what.npos) what.erase(managed);
    if (type == "DELETED") store_.erase(name);
    if (type == "ADDED" || type == "MODIFIED") store_[name] = what;
  }

  std::mt19937 random_;
  Managed managed_{"berth"};
  Calls calls_;
  std::map<std::string, Sample> upstream_;    // by name
  std::map<std::string, std::string> store_;  // of the client, by name: its node
  std::shared_ptr<const ports::ShownPods> table_ = table_of({});
  PodStream stream_ = PodStream::fresh(managed_, calls_);
  std::uint64_t version_ = 1;
  std::uint64_t sent_ = 0;
  std::uint64_t attempt_ = 0;
};

TEST(PodStreamProperty, VIEW4VIEW5TheClientHasWhatTheRulesSay) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World world(seed);
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 15; ++i) world.step();
      world.settle();
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace berth::podview
