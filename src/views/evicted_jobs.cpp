#include "views/evicted_jobs.h"

#include <nlohmann/json.hpp>

#include "berth/base/text.h"
#include "views/document_head.h"

namespace berth::views {

std::string write_evicted_jobs(const EvictedJobs& jobs) {
  using Json = nlohmann::ordered_json;
  Json json = document_of_kind("Evictions");
  json["at"] = format_time(jobs.at);
  json["withinSeconds"] =
      std::chrono::duration_cast<std::chrono::seconds>(EvictedJobs::kWithin).count();
  json["repeatedlyFrom"] = EvictedJobs::kRepeatedlyFrom;
  json["repeatedly"] = jobs.repeatedly;
  json["jobs"] = Json::array();
  for (const EvictedJobs::Row& row : jobs.rows) {
    json["jobs"].push_back({{"job", row.job},
                            {"kind", row.kind},
                            {"times", row.times},
                            {"pods", row.pods},
                            {"first", format_time(row.first)},
                            {"last", format_time(row.last)},
                            {"why", row.why}});
  }
  return document_text(json);
}

}  // namespace berth::views
