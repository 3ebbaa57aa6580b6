#include "apiview/pods_request.h"

#include <utility>
#include <vector>

#include "proxy/headers.h"
#include "proxy/query.h"

namespace berth::apiview {

namespace {

constexpr std::string_view kPods = "/api/v1/pods";
constexpr std::string_view kWatchedPods = "/api/v1/watch/pods";
constexpr std::string_view kNamespaces = "/api/v1/namespaces/";
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kVersion = "resourceVersion";

std::string_view header(const proxy::Headers& headers, std::string_view name) {
  return proxy::find_header(headers, name).value_or(std::string_view{});
}

}  // namespace

std::optional<PodsRequest> pods_request(const proxy::Request& request) {
  const std::string& target = request.target;
  std::string_view path = target;
  if (request.method != "GET" || proxy::next_part(path, '?') != kPods) return std::nullopt;
  PodsRequest pods;
  pods.is_watch = proxy::is_watch(request);
  pods.has_initial_events = proxy::is_set(target, "sendInitialEvents");
  pods.is_next_page = !proxy::query_value(target, "continue").value_or("").empty();
  pods.version = proxy::query_value(target, kVersion).value_or("");
  const bool reads_protobuf = header(request.headers, "accept").find(kProtobuf) != kProtobuf.npos;
  pods.format = reads_protobuf ? podview::Format::protobuf : podview::Format::json;
  pods.client = header(request.headers, "user-agent");
  return pods;
}

bool is_deprecated_watch(const proxy::Request& request) {
  std::string_view path = request.target;
  return proxy::next_part(path, '?') == kWatchedPods;
}

void require_format(podview::Format format, proxy::Request& request) {
  std::erase_if(request.headers, [](const proxy::Header& each) {
    return each.name == "accept" || each.name == "accept-encoding";
  });
  request.headers.push_back({"accept", std::string(content_type(format, false))});
}

void set_version(const std::string& version, proxy::Request& request) {
  request.target = proxy::with_query_value(request.target, kVersion, version);
}

std::string_view content_type(podview::Format format, bool is_watch) {
  if (format == podview::Format::json) return "application/json";
  return is_watch ? "application/vnd.kubernetes.protobuf;stream=watch" : kProtobuf;
}

bool is_in_format(const proxy::Headers& headers, podview::Format format) {
  return header(headers, "content-type").starts_with(content_type(format, false));
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
