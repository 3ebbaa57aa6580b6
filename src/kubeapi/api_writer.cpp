#include "kubeapi/api_writer.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "berth/base/text.h"
#include "kubeapi/json_text.h"
#include "kubeapi/reservation_bodies.h"

namespace berth::kubeapi {

namespace {

constexpr const char* kJson = "application/json";
constexpr const char* kVolcano = "/apis/scheduling.volcano.sh/v1beta1";
constexpr const char* kSigScheduling = "/apis/scheduling.x-k8s.io/v1alpha1";
constexpr int kNotFound = 404;
constexpr int kConflict = 409;
constexpr int kUnprocessable = 422;
constexpr int kBindAttempts = 4;

using Result = ports::WriteOutcome::Result;

std::string in_namespace(const std::string& base, const std::string& name_space,
                         const std::string& kind, const std::string& name) {
  return base + "/namespaces/" + url_encoded(name_space) + "/" + kind + "/" + url_encoded(name);
}

std::string pod_path(const std::string& name_space, const std::string& name) {
  return in_namespace("/api/v1", name_space, "pods", name);
}

template <class Group>  // a GroupStatus, a GangRecord, or the JobMarks of one
std::string group_path(const Group& group) {
  const char* base = group.is_volcano ? kVolcano : kSigScheduling;
  return in_namespace(base, group.name_space, "podgroups", group.name);
}

Request request(std::string method, std::string path, const char* type, std::string body) {
  Request request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.content_type = type;
  request.body = std::move(body);
  return request;
}

// A patch with a foreign uid is refused as a conflict, or as a change of what cannot be changed.
bool is_another(const Response& response) {
  const bool may_be = response.status == kConflict || response.status == kUnprocessable;
  return may_be && (response.body.find("UID") != std::string::npos ||
                    response.body.find("metadata.uid") != std::string::npos);
}

ports::WriteOutcome outcome_of(const Response& response, const std::string& what) {
  if (response.ok()) return {};
  const std::string error = what + ": " + response.to_string();
  const bool is_gone = response.status == kNotFound || is_another(response);
  return {is_gone ? Result::gone : Result::failed, error};
}

Request patient(Request request) {
  request.can_wait = true;
  return request;
}

const char* verb_of(ports::PodWrite::Kind kind) {
  switch (kind) {
    case ports::PodWrite::Kind::nominate:
      return "nominate ";
    case ports::PodWrite::Kind::commit:
      return "commit ";
    case ports::PodWrite::Kind::touch:
      return "touch ";
    case ports::PodWrite::Kind::tolerate:
      return "tolerate ";
  }
  return "write ";
}

}  // namespace

ApiWriter::ApiWriter(RestClient& client, const Clock& clock, std::string instance,
                     Complain complain)
    : client_(client),
      clock_(clock),
      instance_(std::move(instance)),
      complain_(std::move(complain)),
      latest_(client, timer_, complain_) {}

ApiWriter::~ApiWriter() { timer_.stop(); }

void ApiWriter::forget() {
  latest_.forget();
  client_.discard_queued();
}

void ApiWriter::bind(const ports::Binding& binding, std::function<void(ports::BindOutcome)> done) {
  post_binding(std::make_shared<Bind>(Bind{binding, std::move(done)}));
}

void ApiWriter::post_binding(const std::shared_ptr<Bind>& bind) {
  const ports::Binding& to = bind->binding;
  ++bind->attempts;
  client_.send(
      request("POST", pod_path(to.name_space, to.name) + "/binding", kJson, binding_body(to)),
      [this, bind](const Response& response) { on_binding_answer(bind, response); });
}

void ApiWriter::on_binding_answer(const std::shared_ptr<Bind>& bind, const Response& response) {
  if (response.ok()) return bind->done({true, {}});
  const std::string error = response.to_string();
  const bool may_retry = is_retryable(response);
  if (response.status == kNotFound || (response.status != kConflict && !may_retry)) {
    return bind->done({false, error});
  }
  look_at_node(bind, error, may_retry);
}

void ApiWriter::look_at_node(const std::shared_ptr<Bind>& bind, const std::string& error,
                             bool may_retry) {
  const ports::Binding& to = bind->binding;
  client_.send(request("GET", pod_path(to.name_space, to.name), "", ""),
               [this, bind, error, may_retry](const Response& response) {
                 const auto pod = nlohmann::json::parse(response.body, nullptr, false);
                 if (response.ok() && pod.is_object()) {
                   const bool is_same = text_at(pod, "/metadata/uid") == bind->binding.uid;
                   const std::string node = text_at(pod, "/spec/nodeName");
                   if (is_same && node == bind->binding.node) return bind->done({true, {}});
                   if (!is_same || !node.empty() || !may_retry) return bind->done({false, error});
                 }
                 if (bind->attempts >= kBindAttempts) return bind->done({false, error});
                 constexpr Duration kFirst = std::chrono::milliseconds(50);
                 timer_.after(kFirst * (1 << (2 * bind->attempts)),
                              [this, bind] { post_binding(bind); });
               });
}

void ApiWriter::evict(const ports::Eviction& eviction,
                      std::function<void(ports::WriteOutcome)> done) {
  latest_.put(WriteKind::eviction, "evict " + eviction.name_space + "/" + eviction.name,
              request("POST", pod_path(eviction.name_space, eviction.name) + "/eviction", kJson,
                      eviction_body(eviction)),
              nullptr, std::move(done));
}

void ApiWriter::write(const ports::PodWrite& write, std::function<void(ports::WriteOutcome)> done) {
  std::string path = pod_path(write.name_space, write.name);
  if (write.kind == ports::PodWrite::Kind::nominate) path += "/status";
  const std::string what = verb_of(write.kind) + write.name_space + "/" + write.name;
  const bool is_toleration = write.kind == ports::PodWrite::Kind::tolerate;
  const char* type = is_toleration ? kJsonPatch : kStrategicPatch;
  client_.send(request("PATCH", std::move(path), type,
                       is_toleration ? toleration_patch(write) : pod_patch(write)),
               [done = std::move(done), what](const Response& response) {
                 done(outcome_of(response, what));
               });
}

void ApiWriter::write(const ports::GroupStatus& status) {
  latest_.put(WriteKind::status, "status of podgroup " + status.name_space + "/" + status.name,
              patient(request("PATCH", group_path(status) + "/status", kMergePatch,
                              group_status_patch(status))));
}

void ApiWriter::write(const ports::QueueStatus& status) {
  latest_.put(
      WriteKind::status, "status of queue " + status.name,
      patient(request("PATCH",
                      std::string(kVolcano) + "/queues/" + url_encoded(status.name) + "/status",
                      kMergePatch, queue_status_patch(status))));
}

void ApiWriter::write(const ports::NodeLock& lock) {
  latest_.put(WriteKind::status, "lock of node " + lock.node,
              request("PATCH", "/api/v1/nodes/" + url_encoded(lock.node), kMergePatch, ""),
              [lock](const std::string& seen) { return node_lock_patch(lock, seen); });
}

void ApiWriter::write(const ports::JobMarks& job) {
  const bool is_pod = job.about == ports::Event::About::pod;
  const std::string kind = is_pod ? "pod " : "podgroup ";
  std::string path = is_pod ? pod_path(job.name_space, job.name) : group_path(job);
  latest_.put(WriteKind::status, "marks of " + kind + job.name_space + "/" + job.name,
              patient(request("PATCH", std::move(path), kMergePatch, "")),
              [job](const std::string& seen) { return job_marks_patch(job, seen); });
}

void ApiWriter::tell(const ports::Event& event) {
  // No event is another's latest, so each has a key of its own.
  const std::string key = "event " + std::to_string(++events_) + " on " + event.name_space + "/" +
                          event.name + " (" + event.reason + ")";
  latest_.put(
      WriteKind::event, key,
      patient(request("POST", "/api/v1/namespaces/" + url_encoded(event.name_space) + "/events",
                      kJson, event_body(event, clock_.now(), instance_))));
}

void ApiWriter::record(const ports::GangRecord& record,
                       std::function<void(ports::WriteOutcome)> done) {
  const std::string what = "record of podgroup " + record.name_space + "/" + record.name;
  client_.send(request("PATCH", group_path(record), kMergePatch, record_patch(record)),
               [done = std::move(done), what](const Response& response) {
                 done(outcome_of(response, what));
               });
}

}  // namespace berth::kubeapi
