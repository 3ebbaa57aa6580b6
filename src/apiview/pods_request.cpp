#include "apiview/pods_request.h"

#include <algorithm>
#include <array>

#include "proxy/answers.h"
#include "proxy/query.h"

namespace berth::apiview {

namespace {

constexpr std::string_view kPods = "/api/v1/pods";
constexpr std::string_view kWatchedPods = "/api/v1/watch/pods";
constexpr std::string_view kNamespaces = "/api/v1/namespaces/";
constexpr std::string_view kEventsOf = "/apis/events.k8s.io/v1/namespaces/";
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kRunning = "status.phase!=Succeeded,status.phase!=Failed";
constexpr std::string_view kVersion = "resourceVersion";
constexpr std::string_view kVersionMatch = "resourceVersionMatch";

// The resource of a path, after its group, version and namespace: "pods" of
// "/api/v1/namespaces/a/pods/b/binding". Empty: the path is written in another way.
std::string_view resource_of(std::string_view path) {
  constexpr std::string_view kCore = "/api/v1/";
  constexpr std::string_view kGroups = "/apis/";
  constexpr std::string_view kNamespaced = "namespaces/";
  if (path.starts_with(kGroups)) {
    path.remove_prefix(kGroups.size());
    proxy::next_part(path, '/');
    proxy::next_part(path, '/');
  } else if (path.starts_with(kCore)) {
    path.remove_prefix(kCore.size());
  } else {
    return {};
  }
  if (path.starts_with(kNamespaced)) {
    path.remove_prefix(kNamespaced.size());
    proxy::next_part(path, '/');
  }
  return proxy::next_part(path, '/');
}

}  // namespace

bool needs_term(const proxy::Request& request) {
  if (request.method == "GET" || request.method == "HEAD") return false;
  std::string_view target = request.target;
  const std::string_view resource = resource_of(proxy::next_part(target, '?'));
  constexpr std::array<std::string_view, 5> kFree{"events", "tokenreviews", "subjectaccessreviews",
                                                  "selfsubjectaccessreviews", "leases"};
  return std::find(kFree.begin(), kFree.end(), resource) == kFree.end();
}

std::optional<PodsRequest> pods_request(const proxy::Request& request) {
  const std::string& target = request.target;
  std::string_view path = target;
  if (request.method != "GET" || proxy::next_part(path, '?') != kPods) return std::nullopt;
  PodsRequest pods;
  pods.is_watch = proxy::is_watch(request);
  pods.has_initial_events = proxy::is_set(target, "sendInitialEvents");
  pods.is_next_page = !proxy::query_value(target, "continue").value_or("").empty();
  const bool is_exact = proxy::query_value(target, kVersionMatch) == "Exact";
  if (!is_exact) pods.version = proxy::query_value(target, kVersion).value_or("");
  pods.is_of_running = proxy::query_value(target, "fieldSelector") == kRunning &&
                       !proxy::query_value(target, "labelSelector");
  pods.accepts_protobuf =
      proxy::value_of(request.headers, "accept").find(kProtobuf) != kProtobuf.npos;
  pods.client = proxy::value_of(request.headers, "user-agent");
  return pods;
}

bool is_deprecated_watch(const proxy::Request& request) {
  std::string_view path = request.target;
  return proxy::next_part(path, '?') == kWatchedPods;
}

void require_format(proxy::Request& request) {
  std::erase_if(request.headers, [](const proxy::Header& each) {
    return each.name == "accept" || each.name == "accept-encoding";
  });
  request.headers.push_back({"accept", std::string(content_type(false))});
}

void set_version(const std::string& version, proxy::Request& request) {
  request.target = proxy::with_query_value(request.target, kVersion, version);
}

// The API server takes an empty value for none.
void drop_version(proxy::Request& request) {
  set_version("", request);
  if (proxy::is_watch(request)) return;  // a streaming list must say how its version matches
  request.target = proxy::with_query_value(request.target, kVersionMatch, "");
}

std::optional<proxy::Answer> refused_version(const PodsRequest& list, int status) {
  constexpr int kGone = 410, kUnavailable = 503, kTimeout = 504;
  if (!list.is_list() || !list.names_version()) return std::nullopt;
  if (status != kGone && status != kTimeout) return std::nullopt;
  return proxy::status_answer(kUnavailable, "the API server does not list pods as of version " +
                                                list.version + " or later, list again");
}

std::string_view content_type(bool is_watch) {
  return is_watch ? "application/vnd.kubernetes.protobuf;stream=watch" : kProtobuf;
}

bool is_in_format(const proxy::Headers& headers) {
  return proxy::value_of(headers, "content-type").starts_with(kProtobuf);
}

bool is_new_event(const proxy::Request& request) {
  if (request.method != "POST") return false;
  std::string_view target = request.target;
  const std::string_view path = proxy::next_part(target, '?');
  return path.starts_with(kEventsOf) && path.ends_with("/events") &&
         resource_of(path) == "events" &&
         proxy::value_of(request.headers, "content-type").starts_with(kProtobuf);
}

std::optional<PodName> status_patch(const proxy::Request& request) {
  std::string_view rest = request.target;
  rest = proxy::next_part(rest, '?');
  if (request.method != "PATCH" || !rest.starts_with(kNamespaces)) return std::nullopt;
  rest.remove_prefix(kNamespaces.size());
  PodName pod;
  pod.name_space = proxy::next_part(rest, '/');
  const bool is_pod = proxy::next_part(rest, '/') == "pods";
  pod.name = proxy::next_part(rest, '/');
  const bool is_whole = is_pod && !pod.name_space.empty() && !pod.name.empty();
  return is_whole && rest == "status" ? std::optional(pod) : std::nullopt;
}

}  // namespace berth::apiview
