#include "podview/scheduled_event.h"

#include <gtest/gtest.h>

#include "podview/captured.h"
#include "support/damage.h"
#include "support/seeds.h"

namespace berth::podview {
namespace {

std::string with(std::string body, const std::string& text, const std::string& other) {
  return body.replace(body.find(text), text.size(), other);
}

TEST(ScheduledEvent, VIEW20NamesThePod) {
  EXPECT_EQ(pod_of_scheduled_event(testing::captured_event()), testing::kBoundUid);
}

TEST(ScheduledEvent, OthersAreNone) {
  const std::string event = testing::captured_event();
  EXPECT_FALSE(pod_of_scheduled_event(with(event, "Scheduled", "Preempted")));
  EXPECT_FALSE(pod_of_scheduled_event(with(event, "\3Pod", "\3Job")));
  EXPECT_FALSE(pod_of_scheduled_event(with(event, "Event", "Lease")));
  EXPECT_FALSE(pod_of_scheduled_event(R"({"kind":"Event","reason":"Scheduled"})"));
  EXPECT_FALSE(pod_of_scheduled_event(""));
}

TEST(ScheduledEvent, AnyCutIsHarmless) {
  const std::string event = testing::captured_event();
  for (std::size_t size = 0; size < event.size(); ++size) {
    (void)pod_of_scheduled_event(std::string_view(event).substr(0, size));
  }
  for (const std::uint64_t seed : support::seeds(2'000)) {
    (void)pod_of_scheduled_event(support::Damage(seed).of(event));
  }
}

}  // namespace
}  // namespace berth::podview
