#include "podview/pod_window.h"

#include <gtest/gtest.h>

#include <thread>

namespace berth::podview {
namespace {

using Texts = std::vector<std::string>;

class PodWindowTest : public ::testing::Test {
 protected:
  // A frame that is its version.
  void add(const std::string& version) { window_.event(version, version); }
  // The events after that version; "none" where the window cannot say.
  Texts after(const std::string& version) const {
    auto place = window_.after(version);
    return place ? read(*place) : Texts{"none"};
  }
  Texts read(PodWindow::Place& place, std::size_t most = 1000) const {
    const auto frames = window_.read(place, most);
    if (!frames) return {"none"};
    Texts texts;
    for (const PodWindow::Frame& frame : *frames) texts.push_back(*frame);
    return texts;
  }

  static inline const Texts kNone{"none"};

  PodWindow window_{9};
};

TEST_F(PodWindowTest, VIEW17HasAllEventsAfterItsList) {
  EXPECT_EQ(after("10"), kNone) << "before the first list";
  add("11");
  EXPECT_EQ(after("11"), kNone);
  window_.listed("20");
  EXPECT_EQ(after("19"), kNone) << "events may be lacking";
  EXPECT_EQ(after("20"), Texts{});
  EXPECT_EQ(after("21"), kNone) << "berthd has not seen it";
  add("25");
  add("30");
  EXPECT_EQ(after("20"), (Texts{"25", "30"}));
  EXPECT_EQ(after("24"), (Texts{"25", "30"}));
  EXPECT_EQ(after("25"), Texts{"30"});
  EXPECT_EQ(after("29"), Texts{"30"});
  EXPECT_EQ(after("30"), Texts{});
  EXPECT_EQ(after("31"), kNone);
}

// A bookmark has the version of the last event.
TEST_F(PodWindowTest, VIEW17EventsOfOneVersionAreNotDivided) {
  window_.listed("20");
  add("25");
  add("25");
  EXPECT_EQ(after("25"), Texts{});
  EXPECT_EQ(after("24"), (Texts{"25", "25"}));
}

TEST_F(PodWindowTest, VIEW17OldEventsLeaveBeyondTheBound) {
  window_.listed("20");
  auto slow = window_.after("20");
  for (const char* version : {"21", "22", "23", "24"}) add(version);
  EXPECT_EQ(after("21"), (Texts{"22", "23", "24"})) << "eight bytes of nine";
  EXPECT_EQ(after("20"), (Texts{"21", "22", "23", "24"}));
  auto quick = window_.after("24");
  add("25");
  EXPECT_EQ(after("20"), kNone);
  EXPECT_EQ(after("21"), (Texts{"22", "23", "24", "25"}));
  EXPECT_EQ(read(*slow), kNone);
  EXPECT_EQ(read(*quick), Texts{"25"});
  window_.event("26", "longer than all");
  EXPECT_EQ(after("25"), kNone) << "an event that has no room";
  EXPECT_EQ(after("26"), Texts{});
  EXPECT_EQ(read(*quick), kNone);
}

TEST_F(PodWindowTest, VIEW17IsReadByPieces) {
  window_.listed("1");
  auto place = window_.after("1");
  for (const char* version : {"2", "3", "4"}) add(version);
  EXPECT_EQ(read(*place, 2), (Texts{"2", "3"}));
  add("5");
  EXPECT_EQ(read(*place, 0), Texts{"4"}) << "one at least";
  EXPECT_EQ(read(*place, 2), Texts{"5"});
  EXPECT_EQ(read(*place, 2), Texts{});
  add("6");
  EXPECT_EQ(read(*place, 2), Texts{"6"});
}

TEST_F(PodWindowTest, VIEW17AnotherListEndsEveryPlace) {
  window_.listed("20");
  add("21");
  auto place = window_.after("21");
  window_.listed("21");
  EXPECT_EQ(read(*place), kNone) << "what lies between is not known";
  EXPECT_EQ(after("20"), kNone);
  EXPECT_EQ(after("21"), Texts{});
  add("22");
  EXPECT_EQ(read(*place), kNone);
  EXPECT_EQ(after("21"), Texts{"22"});
  window_.listed("5");
  EXPECT_EQ(after("5"), Texts{}) << "a restored backup";
  EXPECT_EQ(after("21"), kNone);
}

TEST_F(PodWindowTest, VIEW17VersionsThatGoBackOrAreNoNumbersCloseItUntilTheNextList) {
  for (const char* version : {"19", "", "x", "21x", "-22", " 22", "99999999999999999999999"}) {
    window_.listed("20");
    EXPECT_EQ(after(version), kNone) << version;
    add("20");
    auto place = window_.after("20");
    window_.take_news();
    bool is_notified = false;
    window_.on_news([&] { is_notified = true; });
    add(version);
    EXPECT_TRUE(is_notified) << "places have ended";
    EXPECT_EQ(read(*place), kNone) << version;
    EXPECT_EQ(after("20"), kNone) << version;
    add("30");
    EXPECT_EQ(after("30"), kNone) << version;
  }
  window_.listed("opaque");
  EXPECT_EQ(after("opaque"), kNone);
  EXPECT_EQ(after("0"), kNone);
  add("1");
  EXPECT_EQ(after("1"), kNone);
}

TEST_F(PodWindowTest, VIEW17NewsAreNotifiedOnceUntilTheyAreTaken) {
  int notified = 0;
  window_.on_news([&] { ++notified; });
  window_.listed("20");
  EXPECT_EQ(notified, 1);
  add("21");
  add("22");
  EXPECT_EQ(notified, 1);
  window_.take_news();
  add("23");
  add("24");
  EXPECT_EQ(notified, 2);
  window_.take_news();
  window_.listed("30");
  EXPECT_EQ(notified, 3);
}

TEST(PodWindowThreads, VIEW17AWriterAndAReaderShareIt) {
  constexpr std::uint64_t kEvents = 20'000;
  PodWindow window(200);
  std::atomic<int> news = 0;
  window.on_news([&] { ++news; });
  std::thread writer([&] {
    for (std::uint64_t version = 0; version <= kEvents; ++version) {
      const std::string text = std::to_string(version);
      version % 5'000 == 0 ? window.listed(text) : window.event(text, text);
    }
  });
  std::uint64_t seen = 0;
  std::uint64_t reads = 0;
  while (seen < kEvents) {
    if (news.exchange(0) > 0) window.take_news();
    auto place = window.after(std::to_string(seen));
    if (!place) {  // as a client that lists again
      ++seen;
      continue;
    }
    const auto frames = window.read(*place, 50);
    if (!frames) continue;
    for (const PodWindow::Frame& frame : *frames) {
      const std::uint64_t version = std::stoull(*frame);
      EXPECT_GT(version, seen);
      seen = version;
      ++reads;
    }
    if (frames->empty() && window.after(std::to_string(kEvents))) break;
  }
  writer.join();
  EXPECT_LE(reads, kEvents);
}

}  // namespace
}  // namespace berth::podview
