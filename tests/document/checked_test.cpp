#include "document/checked.h"

#include <gtest/gtest.h>

#include <string>

#include "document/readers.h"

namespace berth::document {
namespace {

std::string complaint_of(const std::string& text, void (*read)(const Cursor&)) {
  const Result<Value> value = parse_yaml("k: " + text + "\n", "f");
  EXPECT_TRUE(value) << text;
  Reading reading(*value, "f");
  read(reading.root()["k"]);
  return reading.failed() ? reading.error().to_string() : std::string();
}

TEST(Checked, AddressesAreOfVersion4Or6) {
  const auto read = [](const Cursor& at) { (void)ip_address(at, "127.0.0.1"); };
  for (const char* good : {"null", "0.0.0.0", "10.1.2.3", "'::'", "'fd00::1'"}) {
    EXPECT_EQ(complaint_of(good, read), "") << good;
  }
  for (const char* bad : {"''", "localhost", "1.2.3", "1.2.3.256", "'[::1]'", "'1.2.3.4:80'"}) {
    EXPECT_NE(complaint_of(bad, read).find("is no IP address"), std::string::npos) << bad;
  }
}

TEST(Checked, ResourcesHaveANameAVersionAndAGroup) {
  const auto read = [](const Cursor& at) { (void)resource_name(at); };
  for (const char* good : {"jobs.v1.batch", "rayclusters.v1alpha1.ray.io", "a.v2beta12.b"}) {
    EXPECT_EQ(complaint_of(good, read), "") << good;
  }
  for (const char* bad :
       {"null", "''", "jobs", "jobs.batch", "jobs.v1", "jobs.v1.", ".v1.batch", "jobs.1.batch",
        "jobs.v.batch", "jobs.v1gamma1.batch", "jobs.v1beta.batch", "jobs.valpha1.batch",
        "Jobs.v1.batch", "jobs.batch.v1", "jobs/status.v1.batch"}) {
    EXPECT_NE(complaint_of(bad, read).find("is no resource, expected its name, version"),
              std::string::npos)
        << bad;
  }
}

TEST(Checked, LongNamesAreCutInComplaints) {
  const std::string complaint =
      complaint_of(std::string(300, 'a'), [](const Cursor& at) { (void)dns_subdomain(at, ""); });
  EXPECT_NE(complaint.find(std::string(80, 'a') + "...\" is no valid name"), std::string::npos)
      << complaint;
}

TEST(Checked, NoCharacterIsTornInComplaints) {
  const std::string text = std::string(79, 'a') + "\xC3\xA9" + "b";
  const auto name = [](const Cursor& at) { (void)dns_subdomain(at, ""); };
  const auto flag = [](const Cursor& at) { (void)at.boolean(false); };
  for (const std::string& complaint : {complaint_of(text, name), complaint_of(text, flag)}) {
    EXPECT_NE(complaint.find("\"" + std::string(79, 'a') + "...\""), std::string::npos)
        << complaint;
  }
}

TEST(Checked, DurationsMayBeAtBothEnds) {
  const auto read = [](const Cursor& at) {
    (void)duration_within(at, {}, {std::chrono::seconds(1), std::chrono::seconds(2)});
  };
  EXPECT_EQ(complaint_of("1s", read), "");
  EXPECT_EQ(complaint_of("2s", read), "");
  EXPECT_EQ(complaint_of("2001ms", read), "f:1:4: k: 2.001s is too long, expected 1s to 2s");
  EXPECT_EQ(complaint_of("0s", read), "f:1:4: k: 0s is too short, expected 1s to 2s");
}

}  // namespace
}  // namespace berth::document
