#include "podview/samples.h"

#include <gtest/gtest.h>

#include "podview/json_samples.h"
#include "podview/protobuf_samples.h"

namespace berth::podview::testing {

namespace {

std::string text_of(const Terms& terms) {
  std::string text;
  for (const Texts& term : terms) {
    std::string inside;
    for (const std::string& each : term) inside += (inside.empty() ? "" : " & ") + each;
    text += (text.empty() ? " (" : " | (") + inside + ")";
  }
  return text;
}

}  // namespace

std::string line_of(const Found& found) {
  std::string line = found.type + (found.type.empty() ? "" : " ") + found.pod.name;
  line += (found.pod.name.empty() ? "" : " ") + found.pod.version;
  if (!found.pod.node.empty()) line += " on " + found.pod.node;
  line +=
      found.pod.has_required && found.pod.required.empty() ? " ()" : text_of(found.pod.required);
  if (!found.pod.nominated.empty()) line += " nominated " + found.pod.nominated;
  if (found.pod.has_others) line += " others";
  if (found.has_managed_fields) line += " managed";
  return found.is_damaged ? line + " damaged" : line;
}

std::string event(Format format, const std::string& type, const Sample& pod) {
  return format == Format::json ? json::event(type, pod) : protobuf::event(type, pod);
}

std::string bookmark(Format format, const std::string& version, bool ends_initial_events) {
  return format == Format::json ? json::bookmark(version, ends_initial_events)
                                : protobuf::bookmark(version, ends_initial_events);
}

std::string error(Format format, int code, const std::string& reason) {
  return format == Format::json ? json::error(code, reason) : protobuf::error(code, reason);
}

std::string list(Format format, const std::string& version, const std::vector<Sample>& pods,
                 const std::string& continuation) {
  return format == Format::json ? json::list(version, pods, continuation)
                                : protobuf::list(version, pods, continuation);
}

std::string pod_text(Format format, const Sample& pod) {
  return format == Format::json ? json::pod_text(pod) : protobuf::pod_text(pod);
}

Texts events_of(Format format, std::string_view bytes) {
  return format == Format::json ? json::events_of(bytes) : protobuf::events_of(bytes);
}

Texts items_of(Format format, std::string_view body) {
  return format == Format::json ? json::items_of(body) : protobuf::items_of(body);
}

}  // namespace berth::podview::testing
