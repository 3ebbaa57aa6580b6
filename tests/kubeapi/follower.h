#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kubeapi/fake_store.h"
#include "kubeapi/reflector.h"

namespace berth::kubeapi::testing {

inline constexpr const char* kThings = "/apis/test/v1/things";

// A fake API server, a reflector of its objects, and a record of the objects handed on. Its pauses
// are over at once.
class Follower {
 public:
  using Seen = std::map<std::string, std::string>;  // version by uid
  // Of a watch: these lines, and then the end.
  struct Answer {
    Response response = {.status = 200};
    std::vector<std::string> lines = {};
  };

  Follower() {
    api.serve(kThings);
    options.streaming_list = false;
    options.complain = [this](const std::string& what, const Error& error) {
      complaints.push_back(what + ": " + error.message);
    };
    kind.name = "things";
    kind.path = kThings;
    kind.by_uid = true;
    kind.keeps = &keys_of_others();
    kind.changed = [this](const document::Value& object, auto&) { return change(object); };
    kind.gone = [this](const std::string& id) {
      EXPECT_EQ(seen.erase(id), 1U) << id << " was not known";
    };
  }

  // Until the reflector has all that a watch brings, but so many requests at most.
  void run(int requests = 100) {
    if (!reflector) {
      reflector.emplace(clock, "https://test:1", kind, options);
      step_ = reflector->step();
    }
    while (true) {
      if (step_.pause) {
        pauses.push_back(*step_.pause);
        clock.advance(*step_.pause);
        step_ = reflector->step();
      } else if (is_watching_) {
        const bool is_served = api.is_served(kThings);
        const auto lines =
            is_served ? api.lines_after(kThings, position_) : std::vector<std::string>();
        for (const std::string& line : lines) say(line);
        if (!is_served) end_watch();
        if (is_watching_ && lines.empty()) return;
      } else if (requests-- > 0) {
        ask();
      } else {
        return;
      }
    }
  }
  // A line of the watch, besides.
  void say(const std::string& line) {
    if (is_watching_ && !reflector->take(line)) end_watch({.status = 200, .error = "cancelled"});
  }
  void end_watch(Response how = {.status = 200}) {
    ASSERT_TRUE(is_watching_);
    is_watching_ = false;
    step_ = reflector->answered(std::move(how));
  }

  // The objects handed on are those that the server holds.
  bool agrees() const { return seen == api.objects(kThings); }

  std::size_t calls_with(const std::string& text) const {
    return static_cast<std::size_t>(std::count_if(
        calls.begin(), calls.end(),
        [&](const auto& call) { return call.target.find(text) != std::string::npos; }));
  }

  FakeStore api;
  ManualClock clock{TimePoint(std::chrono::hours(1))};
  ReflectedKind kind;
  ReflectorOptions options;
  std::optional<Reflector> reflector;
  std::function<std::optional<Answer>(const Call&)> fault;  // comes before the store
  Seen seen;
  std::vector<Call> calls;
  std::vector<Duration> deadlines;  // theirs
  std::vector<Duration> pauses;
  std::vector<std::string> complaints;

 private:
  void ask() {
    const Call call{"GET", step_.request->path, {}, {}};
    EXPECT_EQ(call.is_watch(), step_.is_watch);
    calls.push_back(call);
    deadlines.push_back(step_.request->deadline);
    std::optional<Answer> answer = fault ? fault(call) : std::nullopt;
    const bool has_end = answer.has_value();
    if (!answer) answer = answer_of_store(call);
    if (!step_.is_watch || answer->response.status != 200) {
      step_ = reflector->answered(std::move(answer->response));
      return;
    }
    is_watching_ = true;
    for (const std::string& line : answer->lines) say(line);
    if (has_end && is_watching_) end_watch(std::move(answer->response));
  }

  Answer answer_of_store(const Call& call) {
    Answer answer;
    FakeStore::Answer stored =
        call.is_watch() ? api.begin_watch(call, answer.lines, position_) : api.list(call);
    answer.response = {.status = stored.status, .body = std::move(stored.body)};
    return answer;
  }

  Status change(const document::Value& object) {
    if (object.find("bad") != nullptr) return Error{"it is bad", ""};
    seen[object.text_at({"metadata", "uid"})] = object.text_at({"metadata", "resourceVersion"});
    return Done{};
  }

  Step step_;
  bool is_watching_ = false;
  std::size_t position_ = 0;  // of the watch
};

}  // namespace berth::kubeapi::testing
