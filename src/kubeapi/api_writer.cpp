#include "kubeapi/api_writer.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "berth/base/text.h"
#include "kubeapi/bodies.h"
#include "kubeapi/json_text.h"
#include "kubeapi/reservation_bodies.h"

namespace berth::kubeapi {

namespace {

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kConflict = 409;
constexpr int kUnprocessable = 422;
constexpr int kTooManyRequests = 429;
constexpr int kServerError = 500;
constexpr int kBindAttempts = 4;
constexpr Duration kLookAgain = std::chrono::seconds(2);

using ports::ObjectKind;
using ports::ObjectRef;
using WriteResult = ports::WriteOutcome::Result;

// Empty for an owner: only events are written about it.
std::string path_of(const ObjectRef& object) {
  if (object.kind == ObjectKind::owner) return {};
  const auto [api_version, kind] = type_of(object);
  const bool has_namespace = object.kind != ObjectKind::queue && object.kind != ObjectKind::node;
  const std::string within =
      has_namespace ? "namespaces/" + url_encoded(object.name_space) + "/" : "";
  return resource_path(api_version, within + lowered(kind) + "s/" + url_encoded(object.name));
}

ObjectRef pod_of(const ports::Binding& binding) {
  return {ObjectKind::pod, binding.name_space, binding.name, binding.uid};
}

// A patch with a foreign uid is refused as a conflict, or as a change of what cannot be changed.
bool is_another(const Response& response) {
  const bool may_be = response.status == kConflict || response.status == kUnprocessable;
  return may_be && (response.body.find("UID") != std::string::npos ||
                    response.body.find("metadata.uid") != std::string::npos);
}

// The object is gone, or its namespace is going.
bool is_gone(const Response& response) {
  return response.status == kNotFound || is_another(response) ||
         (response.status == kForbidden &&
          response.body.find("being terminated") != std::string::npos);
}

// API-22
WriteResult result_of(const Response& response) {
  if (response.ok()) return WriteResult::done;
  if (is_gone(response)) return WriteResult::gone;
  if (response.status == kConflict) return WriteResult::conflict;
  if (is_retryable(response)) return WriteResult::failed;
  const bool lacks_right = response.status == kUnauthorized || response.status == kForbidden;
  return lacks_right ? WriteResult::forbidden : WriteResult::refused;
}

ports::WriteOutcome outcome_of(const Response& response, const std::string& what) {
  const WriteResult result = result_of(response);
  if (result == WriteResult::done) return {};
  return {result, what + ": " + response.to_string(), response.retry_after};
}

// EVICT-3. The reason why budgets forbid the eviction; empty: they do not. A 429 by a rate limit
// has no such cause.
std::string refusal_by_budgets(const Response& response) {
  const bool may_be = response.status == kTooManyRequests || response.status == kServerError;
  const nlohmann::json status = may_be ? read_json(response.body) : nlohmann::json();
  if (!status.is_object()) return {};
  const std::string message = text_at(status, "/message");
  if (response.status == kServerError) {
    return message.find("more than one PodDisruptionBudget") == std::string::npos ? "" : message;
  }
  for (const nlohmann::json& cause : value_at(status, "/details/causes")) {
    if (text_at(cause, "/reason") != "DisruptionBudget") continue;
    const std::string detail = text_at(cause, "/message");
    return detail.empty() ? message : message + " " + detail;
  }
  return message.find("violate the pod's disruption budget") == std::string::npos ? "" : message;
}

ports::WriteOutcome outcome_of_eviction(const Response& response, const std::string& what) {
  const std::string refusal = refusal_by_budgets(response);
  if (refusal.empty()) return outcome_of(response, what);
  return {WriteResult::refused,
          what + ": status " + std::to_string(response.status) + ": " + refusal};
}

// A write's request, and its name for messages: "nominate ns/p", "status of queue q".
struct Sending {
  std::string what;
  Request request;
};

// Locks and marks are made of the object as it is read: their bodies are empty here.
struct SendingOf {
  const ports::Write& write;
  TimePoint now;
  const std::string& instance;
  const ObjectRef& object = write.object;
  const std::string path = path_of(object);
  const std::string name = object.full_name();
  const std::string of = std::string(" of ") + to_string(object.kind) + " " + name;

  Sending operator()(const ports::PodWrite& pod) const {
    using Kind = ports::PodWrite::Kind;
    constexpr std::array kVerbs{"nominate ", "commit ", "touch ", "tolerate "};
    const std::string what = kVerbs[static_cast<std::size_t>(pod.kind)] + name;
    if (pod.kind == Kind::tolerate) {
      return {what, patch("", kJsonPatch, toleration_patch(object, pod))};
    }
    const char* const part = pod.kind == Kind::nominate ? "/status" : "";
    return {what, patch(part, kStrategicPatch, pod_patch(write, pod))};
  }
  // Kubernetes' own groups have conditions of others, and lists that merge by key.
  Sending operator()(const ports::GroupStatus& status) const {
    const char* const type = is_of_kubernetes(object.kind) ? kStrategicPatch : kMergePatch;
    return waiting({"status" + of, patch("/status", type, group_status_patch(object, status))});
  }
  Sending operator()(const ports::QueueStatus& status) const {
    return waiting(
        {"status" + of, patch("/status", kMergePatch, queue_status_patch(object, status))});
  }
  Sending operator()(const ports::NodeLock&) const {
    return {"lock" + of, patch("", kMergePatch, "")};
  }
  Sending operator()(const TargetMarks&) const {
    return waiting({"marks" + of, patch("", kMergePatch, "")});
  }
  Sending operator()(const ports::PodCondition& condition) const {
    return waiting(
        {"condition" + of, patch("/status", kStrategicPatch, condition_patch(object, condition))});
  }
  Sending operator()(const ports::GroupSpec& spec) const {
    switch (spec.verb) {
      case ports::GroupSpec::Verb::make:
        return {"make podgroup " + name, request_with("POST", path.substr(0, path.rfind('/')),
                                                      kJson, group_body(object, spec))};
      case ports::GroupSpec::Verb::change:
        return {"spec" + of, patch("", kMergePatch, group_spec_patch(object, spec))};
      case ports::GroupSpec::Verb::remove:
        return {"remove podgroup " + name,
                request_with("DELETE", path, kJson, deletion_body(object))};
    }
    return {};
  }
  Sending operator()(const ports::Eviction&) const {
    return {"evict " + name,
            request_with("POST", path + "/eviction", kJson, eviction_body(object))};
  }
  Sending operator()(const ports::Event& event) const {
    const std::string events =
        "/api/v1/namespaces/" + url_encoded(event_namespace(object)) + "/events";
    return waiting({"event on " + name + " (" + event.reason + ")",
                    request_with("POST", events, kJson, event_body(object, event, now, instance))});
  }

  Request patch(const char* part, const char* type, std::string body) const {
    return request_with("PATCH", path + part, type, std::move(body));
  }
  static Sending waiting(Sending sending) {
    sending.request.can_wait = true;
    return sending;
  }
};

}  // namespace

ApiWriter::ApiWriter(RestClient& client, Executor& executor, const Clock& clock,
                     std::string instance)
    : client_(client), executor_(executor), clock_(clock), instance_(std::move(instance)) {}

void ApiWriter::bind(const ports::Binding& binding, std::function<void(ports::BindOutcome)> done) {
  post_binding(std::make_shared<Bind>(Bind{binding, std::move(done), 0}));
}

void ApiWriter::post_binding(const std::shared_ptr<Bind>& bind) {
  const ports::Binding& to = bind->binding;
  ++bind->attempts;
  Request posting = request_with("POST", path_of(pod_of(to)) + "/binding", kJson, binding_body(to));
  posting.epoch = to.epoch;
  client_.send(std::move(posting),
               [this, bind](const Response& response) { on_binding_answer(bind, response); });
}

void ApiWriter::on_binding_answer(const std::shared_ptr<Bind>& bind, const Response& response) {
  if (response.ok()) return bind->done({true, {}});
  const std::string error = response.to_string();
  const bool may_retry = is_retryable(response);
  if (!client_.may_write(bind->binding.epoch)) return bind->done({false, error});
  if (response.status == kNotFound || (response.status != kConflict && !may_retry)) {
    return bind->done({false, error});
  }
  look_at_node(bind, error, may_retry);
}

void ApiWriter::look_at_node(const std::shared_ptr<Bind>& bind, const std::string& error,
                             bool may_retry) {
  const ports::Binding& to = bind->binding;
  Request reading;
  reading.path = path_of(pod_of(to));
  client_.send(std::move(reading), [this, bind, error, may_retry](const Response& response) {
    const nlohmann::json pod = read_json(response.body);
    if (response.ok() && pod.is_object()) {
      const bool is_same = text_at(pod, "/metadata/uid") == bind->binding.uid;
      const std::string node = text_at(pod, "/spec/nodeName");
      if (is_same && node == bind->binding.node) return bind->done({true, {}});
      if (!is_same || !node.empty() || !may_retry) return bind->done({false, error});
    }
    const bool is_unknown = is_retryable(response) && client_.may_write(bind->binding.epoch);
    if (bind->attempts >= kBindAttempts && is_unknown) {
      // A Binding that may have been carried out has not failed until the pod is seen without it.
      executor_.after(kLookAgain, [this, bind, error] { look_at_node(bind, error, true); });
      return;
    }
    if (bind->attempts >= kBindAttempts) return bind->done({false, error});
    constexpr Duration kFirst = std::chrono::milliseconds(50);
    executor_.after(kFirst * (1 << (2 * bind->attempts)), [this, bind] { post_binding(bind); });
  });
}

void ApiWriter::write(const ports::Write& write, std::function<void(ports::WriteOutcome)> done) {
  auto [what, request] = std::visit(SendingOf{write, clock_.now(), instance_}, write.content);
  request.epoch = write.epoch;
  const bool is_made_of_the_object = std::holds_alternative<ports::NodeLock>(write.content) ||
                                     std::holds_alternative<TargetMarks>(write.content);
  if (is_made_of_the_object) {
    return read_and_write(std::move(request), write, what, std::move(done));
  }
  const auto outcome =
      std::holds_alternative<ports::Eviction>(write.content) ? &outcome_of_eviction : &outcome_of;
  client_.send(std::move(request), [done = std::move(done), what = std::move(what),
                                    outcome](const Response& seen) { done(outcome(seen, what)); });
}

// API-23
void ApiWriter::read_and_write(Request writing, const ports::Write& write, const std::string& what,
                               std::function<void(ports::WriteOutcome)> done) {
  Request reading;
  reading.path = writing.path;
  reading.can_wait = writing.can_wait;
  client_.send(std::move(reading), [this, writing = std::move(writing), write, what,
                                    done = std::move(done)](const Response& seen) mutable {
    if (!seen.ok()) return done(outcome_of(seen, what));
    std::optional<std::string> body = patch_of(write, seen.body);
    if (!body) return done({});  // it is so already, or another's to write
    writing.body = *std::move(body);
    client_.send(std::move(writing), [done = std::move(done), what](const Response& response) {
      done(outcome_of(response, what));
    });
  });
}

}  // namespace berth::kubeapi
