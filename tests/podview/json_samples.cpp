#include "podview/json_samples.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace berth::podview::testing::json {

namespace {

using Json = nlohmann::ordered_json;

const char* const kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
const char* const kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

Json requirement(const std::string& text) {
  const std::size_t space = text.find(' ');
  return {{"key", text.substr(0, space)},
          {"operator", "In"},
          {"values", Json::array({text.substr(text.rfind(' ') + 1)})}};
}

Json term_of(const Texts& parts) {
  Json term = Json::object();
  for (const std::string& part : parts) {
    const bool is_field = part.substr(0, part.find(' ')).find('.') != part.npos;
    term[is_field ? "matchFields" : "matchExpressions"].push_back(requirement(part));
  }
  return term;
}

Json affinity_of(const Sample& pod) {
  Json affinity = Json::object();
  if (pod.has_required) {
    Json terms = Json::array();
    for (const Texts& term : pod.required) terms.push_back(term_of(term));
    affinity["nodeAffinity"][kRequired]["nodeSelectorTerms"] = terms;
  }
  if (pod.has_others) {
    const Json preference = {{"weight", 7}, {"preference", term_of({"disk In ssd"})}};
    affinity["nodeAffinity"][kPreferred] = Json::array({preference});
    affinity["podAntiAffinity"] = {{"unknown", "kept"}};
  }
  return affinity;
}

Json pod_of(const Sample& pod) {
  Json metadata = {{"name", pod.name},
                   {"namespace", "default"},
                   {"uid", pod.uid.empty() ? pod.name : pod.uid},
                   {"resourceVersion", pod.version},
                   {"labels", {{"quote", "\"\\"}, {"braces", "}]{["}}},
                   {"managedFields", Json::array({{{"manager", "kubectl"}}})}};
  if (pod.is_terminating) metadata["deletionTimestamp"] = "2026-11-22T10:00:00Z";
  Json spec = {{"containers", Json::array({{{"name", "c"}, {"image", "i"}}})},
               {"schedulerName", pod.scheduler},
               {"priority", 1000}};
  if (!pod.node.empty()) spec["nodeName"] = pod.node;
  if (pod.has_required || pod.has_others) spec["affinity"] = affinity_of(pod);
  if (pod.is_gated) spec["schedulingGates"] = Json::array({{{"name", "example.org/gate"}}});
  Json object = {{"metadata", metadata}, {"spec", spec}};
  if (pod.has_status) object["status"] = {{"phase", "Pending"}, {"qosClass", "Burstable"}};
  if (!pod.nominated.empty()) object["status"]["nominatedNodeName"] = pod.nominated;
  return object;
}

std::string line(const std::string& type, const Json& object) {
  return Json{{"type", type}, {"object", object}}.dump() + "\n";
}

Texts parts_of(const Json& term) {
  Texts parts;
  for (const char* key : {"matchExpressions", "matchFields"}) {
    for (const Json& each : term.value(key, Json::array())) {
      std::string text =
          each.at("key").get<std::string>() + " " + each.at("operator").get<std::string>();
      for (const Json& value : each.at("values")) text += " " + value.get<std::string>();
      parts.push_back(text);
    }
  }
  return parts;
}

Found found_in(const std::string& type, const Json& object) {
  Found found{type, {}};
  const Json& metadata = object.at("metadata");
  found.pod.name = metadata.value("name", "");
  found.pod.version = metadata.value("resourceVersion", "");
  found.has_managed_fields = metadata.contains("managedFields");
  if (type == "BOOKMARK" || type == "ERROR") return found;
  const Json& spec = object.at("spec");
  found.pod.node = spec.value("nodeName", "");
  const Json affinity = spec.value("affinity", Json::object());
  const Json of_node = affinity.value("nodeAffinity", Json::object());
  found.pod.has_required = of_node.contains(kRequired);
  if (found.pod.has_required) {
    for (const Json& term : of_node.at(kRequired).at("nodeSelectorTerms")) {
      found.pod.required.push_back(parts_of(term));
    }
  }
  found.pod.has_others = of_node.contains(kPreferred) && affinity.contains("podAntiAffinity");
  const Json status = object.value("status", Json::object());
  found.pod.nominated = status.value("nominatedNodeName", "");
  found.is_damaged =
      metadata.value("labels", Json()) != Json({{"quote", "\"\\"}, {"braces", "}]{["}}) ||
      spec.at("containers")[0].at("image") != "i" || spec.at("priority") != 1000;
  return found;
}

// nlohmann takes the last of two equal keys; a client might not.
Json parsed(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key) {
      EXPECT_TRUE(keys.back().insert(value.get<std::string>()).second) << value << " twice";
    }
    return true;
  };
  EXPECT_FALSE(nlohmann::json::parse(text, check).is_discarded());
  return Json::parse(text);
}

}  // namespace

std::string pod_text(const Sample& pod) { return pod_of(pod).dump(); }

std::string event(const std::string& type, const Sample& pod) {
  Json object = {{"kind", "Pod"}, {"apiVersion", "v1"}};
  object.update(pod_of(pod));
  return line(type, object);
}

std::string bookmark(const std::string& version, bool ends_initial_events) {
  Json metadata = {{"resourceVersion", version}};
  if (ends_initial_events) metadata["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  return line("BOOKMARK", {{"kind", "Pod"}, {"apiVersion", "v1"}, {"metadata", metadata}});
}

std::string error(int code, const std::string& reason) {
  return line(
      "ERROR",
      {{"kind", "Status"}, {"metadata", Json::object()}, {"reason", reason}, {"code", code}});
}

std::string list(const std::string& version, const std::vector<Sample>& pods,
                 const std::string& continuation) {
  Json metadata = {{"resourceVersion", version}};
  if (!continuation.empty()) metadata["continue"] = continuation;
  Json items = Json::array();
  for (const Sample& pod : pods) items.push_back(pod_of(pod));
  return Json{{"kind", "PodList"}, {"apiVersion", "v1"}, {"metadata", metadata}, {"items", items}}
             .dump() +
         "\n";
}

Texts events_of(std::string_view bytes) {
  Texts lines;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    EXPECT_NE(end, bytes.npos) << "an event without an end: " << bytes;
    if (end == bytes.npos) break;
    const Json read = parsed(bytes.substr(0, end));
    const Json& object = read.at("object");
    const std::string type = read.at("type").get<std::string>();
    Found found = found_in(type, object);
    if (type == "ERROR") found.pod.version = std::to_string(object.at("code").get<int>());
    const bool has_kind = type == "ERROR" || object.value("kind", "") == "Pod";
    if (!has_kind) found.is_damaged = true;
    lines.push_back(line_of(found));
    bytes.remove_prefix(end + 1);
  }
  return lines;
}

Texts items_of(std::string_view body) {
  const Json read = parsed(body);
  Texts lines;
  for (const Json& item : read.at("items")) lines.push_back(line_of(found_in("", item)));
  EXPECT_EQ(read.at("kind"), "PodList");
  lines.push_back("list " + read.at("metadata").at("resourceVersion").get<std::string>());
  return lines;
}

}  // namespace berth::podview::testing::json
