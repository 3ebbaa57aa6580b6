#include "tools/live/live_document.h"

#include <nlohmann/json.hpp>

#include "berth/base/text.h"
#include "tools/live/live_text.h"
#include "views/document_head.h"

namespace berth::tools {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json_of(const LiveEvent& event) {
  return {{"time", format_time(event.time)},
          {"object", event.object},
          {"reason", event.reason},
          {"message", event.message},
          {"warning", event.is_warning}};
}

std::int64_t seconds_of(Duration length) {
  return std::chrono::duration_cast<std::chrono::seconds>(length).count();
}

Json json_of(const std::optional<JobDeadline>& deadline) {
  if (!deadline) return nullptr;
  const auto& since = deadline->since;
  return {{"seconds", seconds_of(deadline->length)}, {"since", views::json_of(since)}};
}

Json json_of(const LiveJob& job, bool with_events) {
  Json json{{"namespace", job.name_space},
            {"name", job.name},
            {"kind", job.kind()},
            {"owner", nullptr},
            {"state", to_string(job.state)},
            {"phase", job.phase},
            {"queue", job.queue},
            {"reason", job.reason},
            {"message", job.message},
            {"since", views::json_of(job.since)},
            {"position", job.line.text},
            {"queuePosition", or_null(job.line.position)},
            {"queueWaiting", or_null(job.line.queue_waiting)},
            {"jobsAhead", or_null(job.line.ahead)},
            {"jobsAheadInNamespace", or_null(job.line.ahead_here)},
            {"aheadInNamespace", job.line.names_here},
            {"startsBy", views::json_of(job.start.starts_by)},
            {"likelyFrom", views::json_of(job.start.likely_from)},
            {"likelyTo", views::json_of(job.start.likely_to)},
            {"minimum", job.minimum},
            {"pods",
             {{"all", job.pods.all},
              {"bound", job.pods.bound},
              {"running", job.pods.running},
              {"succeeded", job.pods.succeeded},
              {"failed", job.pods.failed},
              {"waiting", job.pods.waiting()}}},
            {"timeLimit", views::json_of(job.limits.limit())},
            {"target", job.is_target},
            {"scheduler", job.scheduler},
            {"created", format_time(job.created)}};
  if (!job.owner.kind.empty()) {
    json["owner"] = {{"kind", job.owner.kind}, {"name", job.owner.name}};
  }
  if (!with_events) return json;
  json["targetMessage"] = job.target;
  json["ignored"] = job.ignored;
  json["remedy"] = remedy_of(job);
  json["deadline"] = json_of(job.limits.of_job);
  json["events"] = Json::array();
  for (const LiveEvent& event : job.events) json["events"].push_back(json_of(event));
  return json;
}

std::string written(Json json, const std::vector<LiveJob>& jobs, bool with_events,
                    const std::vector<std::string>& notes) {
  json["jobs"] = Json::array();
  for (const LiveJob& job : jobs) json["jobs"].push_back(json_of(job, with_events));
  json["notes"] = notes;
  return views::document_text(json);
}

}  // namespace

std::string write_jobs(const std::string& name_space, const std::vector<LiveJob>& jobs,
                       const std::vector<std::string>& notes) {
  Json json = views::document_of_kind("Jobs");
  json["namespace"] = name_space.empty() ? Json(nullptr) : Json(name_space);
  return written(std::move(json), jobs, false, notes);
}

std::string write_why(const std::string& name_space, const std::string& asked,
                      const std::vector<LiveJob>& jobs, const std::vector<std::string>& notes) {
  Json json = views::document_of_kind("Why");
  json["namespace"] = name_space;
  json["asked"] = asked;
  return written(std::move(json), jobs, true, notes);
}

}  // namespace berth::tools
