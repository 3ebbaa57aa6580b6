#include "podview/json_pod.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace berth::podview {

namespace {

using Json = nlohmann::ordered_json;

struct Edit {
  Span place;  // an empty one: the text is put in
  std::string text;
};

std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool read_metadata(JsonCursor& json, SeenEvent& event, PodPlaces& places) {
  return json.members([&](std::string_view key, std::size_t begin) {
    SeenPod& pod = event.pod;
    if (key == "name") return json.text(pod.name);
    if (key == "namespace") return json.text(pod.name_space);
    if (key == "uid") return json.text(pod.uid);
    if (key == "resourceVersion") {
      return json.read(places.version, [&] { return json.text(pod.version); });
    }
    if (key == "deletionTimestamp") {
      pod.is_terminating = json.peek() != 'n';
    } else if (key == "managedFields") {
      const bool is_read = json.skip(places.managed_fields);
      places.managed_fields.begin = begin;
      return is_read;
    } else if (key == "annotations") {
      return json.members([&](std::string_view name, std::size_t) {
        std::string value;
        if (name != kEndOfInitialEvents) return json.skip();
        const bool is_read = json.text(value);
        event.ends_initial_events = value == "true";
        return is_read;
      });
    }
    return json.skip();
  });
}

bool read_spec(JsonCursor& json, SeenPod& pod, PodPlaces& places) {
  return json.members([&](std::string_view key, std::size_t) {
    if (key == "nodeName") return json.text(pod.node);
    if (key == "schedulerName") return json.text(pod.scheduler);
    if (key == "affinity") return json.skip(places.affinity);
    if (key != "schedulingGates") return json.skip();
    return json.items([&] {
      pod.is_gated = true;
      return json.skip();
    });
  });
}

bool is_absent(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null();
}

bool is_empty_term(const Json& term) {
  for (const char* key : {"matchExpressions", "matchFields"}) {
    if (!is_absent(term, key) && !term[key].empty()) return false;
  }
  return true;
}

bool is_sound_term(const Json& term) {
  return term.is_object() && (is_absent(term, "matchFields") || term["matchFields"].is_array()) &&
         (is_absent(term, "matchExpressions") || term["matchExpressions"].is_array());
}

Json on_node(std::string_view node) {
  return {{"key", kNameField}, {"operator", "In"}, {"values", Json::array({node})}};
}

// VIEW-3: terms are alternatives, so the node becomes part of each. An empty term matches nothing,
// and would match with a node in it. A pod with empty terms alone fits nowhere, and stays so.
Result<std::string> constrained(std::string_view affinity, std::string_view node) {
  const Error unsound{"not valid JSON: expected an affinity", ""};
  Json value = affinity.empty() ? Json(nullptr) : Json::parse(affinity, nullptr, false);
  if (value.is_null()) value = Json::object();
  if (!value.is_object()) return unsound;
  if (is_absent(value, "nodeAffinity")) value["nodeAffinity"] = Json::object();
  Json& of_node = value["nodeAffinity"];
  if (!of_node.is_object()) return unsound;
  const char* const kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  if (is_absent(of_node, kRequired)) {
    const Json term{{"matchFields", Json::array({on_node(node)})}};
    of_node[kRequired] = {{"nodeSelectorTerms", Json::array({term})}};
    return dumped(value);
  }
  Json& required = of_node[kRequired];
  if (!required.is_object()) return unsound;
  if (is_absent(required, "nodeSelectorTerms")) return dumped(value);
  Json& terms = required["nodeSelectorTerms"];
  if (!terms.is_array() || !std::all_of(terms.begin(), terms.end(), is_sound_term)) return unsound;
  if (std::all_of(terms.begin(), terms.end(), is_empty_term)) return dumped(value);
  terms.erase(std::remove_if(terms.begin(), terms.end(), is_empty_term), terms.end());
  for (Json& term : terms) {
    if (is_absent(term, "matchFields")) term["matchFields"] = Json::array();
    term["matchFields"].push_back(on_node(node));
  }
  return dumped(value);
}

std::string member(const char* key, const std::string& value) {
  return '"' + std::string(key) + "\":" + value;
}

// Puts a member into an object of the text, which may be null.
void insert(std::string_view text, const Span& object, const std::string& added,
            std::vector<Edit>& edits) {
  if (text[object.begin] != '{') {
    edits.push_back({object, '{' + added + '}'});
    return;
  }
  const std::size_t inside = object.begin + 1;
  const bool is_empty = text[text.find_first_not_of(" \t\r\n", inside)] == '}';
  edits.push_back({{inside, inside}, added + (is_empty ? "" : ",")});
}

void set(std::string_view text, const Span& parent, const Span& place, const char* key,
         const std::string& value, std::vector<Edit>& edits) {
  if (place.is_there()) {
    edits.push_back({place, value});
  } else {
    insert(text, parent, member(key, value), edits);
  }
}

void append_edited(std::string_view text, std::vector<Edit> edits, std::string& out) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& left, const Edit& right) {
    return left.place.begin < right.place.begin;
  });
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    out += text.substr(at, edit.place.begin - at);
    out += edit.text;
    at = edit.place.end;
  }
  out += text.substr(at);
}

// The member with one of the commas around it.
Span with_comma(std::string_view text, Span place) {
  const std::size_t after = text.find_first_not_of(" \t\r\n", place.end);
  if (text[after] == ',') return {place.begin, after + 1};
  const std::size_t before = text.find_last_not_of(" \t\r\n", place.begin - 1);
  return {text[before] == ',' ? before : place.begin, place.end};
}

}  // namespace

bool read_object(JsonCursor& json, SeenEvent& event, PodPlaces& places) {
  std::string reason;
  Span code;
  const bool is_read = json.read(places.pod, [&] {
    return json.members([&](std::string_view key, std::size_t) {
      if (key == "metadata") {
        return json.read(places.metadata, [&] { return read_metadata(json, event, places); });
      }
      if (key == "spec") {
        return json.read(places.spec, [&] { return read_spec(json, event.pod, places); });
      }
      if (key == "status") return json.skip(places.status);
      if (key == "reason") return json.text(reason);
      if (key == "code") {
        const bool is_passed = json.skip(code);
        event.is_expired = event.is_expired || json.since(code.begin) == "410";
        return is_passed;
      }
      places.has_kind = places.has_kind || key == "kind";
      places.has_api_version = places.has_api_version || key == "apiVersion";
      return json.skip();
    });
  });
  event.is_expired = event.is_expired || reason == "Expired" || reason == "Gone";
  if (is_read) event.pod.bytes = json.since(places.pod.begin);
  return is_read;
}

bool read_pod(JsonCursor& json, SeenPod& pod) {
  SeenEvent event;
  PodPlaces places;
  std::swap(event.pod, pod);  // for the room of its strings
  const bool is_read = read_object(json, event, places);
  std::swap(event.pod, pod);
  return is_read;
}

Result<std::string> held_json(const SeenPod& pod) {
  JsonCursor json(pod.bytes);
  SeenEvent event;
  PodPlaces places;
  if (!read_object(json, event, places)) return json.fault();
  const Span& affinity = places.affinity;
  if (affinity.is_there()) {
    const auto sound =
        constrained(pod.bytes.substr(affinity.begin, affinity.end - affinity.begin), "");
    if (!sound) return sound.error();
  }
  std::string out;
  std::vector<Edit> edits;
  if (places.managed_fields.is_there()) {
    edits.push_back({with_comma(pod.bytes, places.managed_fields), ""});
  }
  append_edited(pod.bytes, std::move(edits), out);
  // Events are lines, and a list may be indented for people.
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

// Held pods are sound, and have metadata with a name and a spec with a scheduler.
void append_copy(const CopyOf& copy, std::string& out) {
  const std::string_view text = copy.pod;
  JsonCursor json(text);
  SeenEvent event;
  PodPlaces places;
  read_object(json, event, places);
  std::vector<Edit> edits;
  if (!places.has_kind) insert(text, places.pod, member("kind", "\"Pod\""), edits);
  if (!places.has_api_version) insert(text, places.pod, member("apiVersion", "\"v1\""), edits);
  set(text, places.metadata, places.version, "resourceVersion", quoted(copy.version), edits);
  if (!copy.node.empty() && copy.is_nominated) {
    const std::string nominated = quoted(copy.node);
    if (places.status.is_there()) {
      JsonCursor status(text.substr(places.status.begin));
      status.members([&](std::string_view key, std::size_t) {
        return key == "nominatedNodeName" ? status.skip(places.nominated) : status.skip();
      });
      if (places.nominated.is_there()) {
        places.nominated.begin += places.status.begin;
        places.nominated.end += places.status.begin;
      }
      set(text, places.status, places.nominated, "nominatedNodeName", nominated, edits);
    } else {
      insert(text, places.pod, member("status", '{' + member("nominatedNodeName", nominated) + '}'),
             edits);
    }
  } else if (!copy.node.empty()) {
    const Span& own = places.affinity;
    const auto affinity = constrained(text.substr(own.begin, own.end - own.begin), copy.node);
    set(text, places.spec, own, "affinity", affinity.value(), edits);
  }
  append_edited(text, std::move(edits), out);
}

std::string quoted(std::string_view text) { return dumped(Json(text)); }

}  // namespace berth::podview
