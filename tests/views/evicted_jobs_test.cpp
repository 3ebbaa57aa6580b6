#include "views/evicted_jobs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace berth::views {
namespace {

TEST(EvictedJobs, ArePrintedAsADocument) {
  EvictedJobs jobs;
  jobs.at = TimePoint(std::chrono::seconds(3600));
  jobs.repeatedly = 1;
  jobs.rows = {{"ml/old", "PodGroup", 65, 130, TimePoint(std::chrono::seconds(60)),
                TimePoint(std::chrono::seconds(3599)), "by preempt for ml/\xff"}};
  EXPECT_EQ(nlohmann::json::parse(write_evicted_jobs(jobs)),
            nlohmann::json::parse(
                R"({"apiVersion": "berth.dev/v1", "kind": "Evictions", "at": "1970-01-01T01:00:00Z",
                    "withinSeconds": 3600, "repeatedlyFrom": 5, "repeatedly": 1, "jobs": [
                    {"job": "ml/old", "kind": "PodGroup", "times": 65, "pods": 130,
                     "first": "1970-01-01T00:01:00Z", "last": "1970-01-01T00:59:59Z",
                     "why": "by preempt for ml/)"
                "\xEF\xBF\xBD\"}]}"));
}

}  // namespace
}  // namespace berth::views
