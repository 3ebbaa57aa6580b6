#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "podview/codec.h"
#include "podview/pod_reader.h"
#include "podview/pods.pb.h"
#include "protobuf/frames.h"

namespace berth::podview {

namespace {

wire::NodeSelectorRequirement requirement_on(std::string_view node) {
  wire::NodeSelectorRequirement requirement;
  requirement.set_key(std::string(kNameField));
  requirement.set_operation("In");
  requirement.add_values(std::string(node));
  return requirement;
}

bool is_empty(const wire::NodeSelectorTerm& term) {
  return term.match_expressions().empty() && term.match_fields().empty();
}

// VIEW-3: terms are alternatives, so the node becomes part of each. An empty term matches nothing,
// and would match with a node in it. A pod with empty terms alone fits nowhere, and stays so.
void constrain(wire::Affinity& affinity, std::string_view node) {
  wire::NodeSelector& required = *affinity.mutable_node_affinity()->mutable_required();
  auto& terms = *required.mutable_terms();
  if (std::all_of(terms.begin(), terms.end(), is_empty)) return;
  terms.erase(std::remove_if(terms.begin(), terms.end(), is_empty), terms.end());
  for (wire::NodeSelectorTerm& term : terms) *term.add_match_fields() = requirement_on(node);
}

// The contents of all fields of that number. Messages that occur more than once are merged, so
// joining them changes nothing. `message` is well formed.
std::string joined(std::string_view message, std::uint32_t number) {
  std::string all;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.number == number) all += field.content;
  }
  return all;
}

// `message` without its fields of that number.
std::string without(std::string_view message, std::uint32_t number) {
  std::string out;
  out.reserve(message.size());
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.number != number) out += field.whole;
  }
  return out;
}

// The copy is the pod's own bytes and, after them, a second Pod with what differs: a reader merges
// the two. Lists are joined by that, so required terms of the pod's own leave the first part.
std::string bytes_of(const CopyOf& copy) {
  std::string out(copy.pod);
  wire::Pod added;
  added.mutable_metadata()->set_resource_version(std::string(copy.version));
  if (!copy.node.empty() && copy.is_nominated) {
    added.mutable_status()->set_nominated_node_name(std::string(copy.node));
  } else if (!copy.node.empty()) {
    wire::Affinity& affinity = *added.mutable_spec()->mutable_affinity();
    const std::string spec = joined(copy.pod, number::kPodSpec);
    const std::string own = joined(spec, number::kAffinity);
    affinity.ParseFromString(own);
    if (affinity.node_affinity().has_required()) {
      out = without(copy.pod, number::kPodSpec);
      protobuf::append_field(out, number::kPodSpec, without(spec, number::kAffinity));
      constrain(affinity, copy.node);
    } else {
      affinity.Clear();
      wire::NodeSelector& required = *affinity.mutable_node_affinity()->mutable_required();
      *required.add_terms()->add_match_fields() = requirement_on(copy.node);
    }
  }
  if (!copy.node.empty() && copy.asks_filter) {
    wire::Container& marked = *added.mutable_spec()->add_init_containers();
    (*marked.mutable_resources()->mutable_requests())[std::string(kMarker)].set_string("0");
  }
  added.AppendToString(&out);
  return out;
}

// Moves the run to the left. Returns where it ends.
std::size_t move_run(std::string& body, const Span& run, std::size_t to) {
  std::memmove(body.data() + to, body.data() + run.begin, run.end - run.begin);
  return to + (run.end - run.begin);
}

bool read(PodReader& reader, std::string_view message, SeenEvent& event) {
  protobuf::EventParts parts;
  if (!reader.event(message, parts)) return false;
  event.type = event_type_of(parts.type);
  Envelope envelope;
  if (event.type == EventType::other) return true;
  if (!reader.envelope(parts.object, envelope)) return false;
  if (envelope.kind == "Status") return reader.status(envelope.raw, event.is_expired);
  if (envelope.kind != "Pod") return true;
  if (!reader.pod(envelope.raw, event.pod)) return false;
  return event.type != EventType::bookmark ||
         reader.is_end_of_initial_events(envelope.raw, event.ends_initial_events);
}

}  // namespace

std::string enveloped(const char* kind, std::string raw) {
  wire::Unknown unknown;
  unknown.mutable_type_meta()->set_api_version("v1");
  unknown.mutable_type_meta()->set_kind(kind);
  unknown.set_raw(std::move(raw));
  unknown.set_content_encoding("");
  unknown.set_content_type("");
  std::string out(kMagic);
  unknown.AppendToString(&out);
  return out;
}

void append_frame(std::string_view type, std::string object, std::string& out) {
  wire::WatchEvent event;
  event.set_type(std::string(type));
  event.mutable_object()->set_raw(std::move(object));
  const std::size_t size = event.ByteSizeLong();
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(size >> shift & 0xff);
  event.AppendToString(&out);
}

Status read_event(std::string_view frame, SeenEvent& event) {
  PodReader reader(frame);
  return read(reader, protobuf::content_of(frame), event) ? Status(Done{}) : reader.fault();
}

Result<std::string> held(const SeenPod& pod) {
  std::string out;
  out.reserve(pod.bytes.size());
  Fields fields(pod.bytes);
  for (Field field; fields.next(field);) {
    if (field.number == number::kPodMetadata) {
      protobuf::append_field(out, field.number, without(field.content, number::kManagedFields));
    } else {
      out += field.whole;
    }
  }
  out.shrink_to_fit();
  if (!wire::Affinity().ParseFromString(joined(joined(out, number::kPodSpec), number::kAffinity))) {
    return Error{"malformed protobuf, expected an affinity", ""};
  }
  return out;
}

void append_event(EventType type, const CopyOf& copy, std::string& out) {
  append_frame(name_of(type), enveloped("Pod", bytes_of(copy)), out);
}

std::string deleted_event(const SeenPod& pod) {
  std::string out;
  append_frame(name_of(EventType::deleted), enveloped("Pod", std::string(pod.bytes)), out);
  return out;
}

std::string expired_event() {
  wire::Status status;
  status.set_status("Failure");
  status.set_message(std::string(kExpiredMessage));
  status.set_reason("Expired");
  status.set_code(410);
  std::string out;
  append_frame("ERROR", enveloped("Status", status.SerializeAsString()), out);
  return out;
}

Result<ListParts> read_list(std::string_view body, const StaysInList& stays) {
  PodReader reader(body);
  ListParts parts;
  Envelope envelope;
  if (!reader.envelope(body, envelope)) return reader.fault();
  if (envelope.kind != "PodList") return parts;
  parts.is_of_pods = true;
  const auto place = [&](std::string_view part) {
    return static_cast<std::size_t>(part.data() - body.data());
  };
  parts.head = place(envelope.raw_field);
  parts.items = {place(envelope.raw), place(envelope.raw) + envelope.raw.size()};
  std::optional<Error> refused;
  protobuf::ListHead head;
  const bool is_read = reader.each(envelope.raw, "a PodList", [&](const Field& field) {
    if (field.number == number::kListMetadata && !reader.list_head(field.content, head)) {
      return false;
    }
    if (field.number == number::kListItems) {
      SeenPod pod;
      if (!reader.pod(field.content, pod)) return false;
      const auto stays_here = stays(pod);
      if (!stays_here) refused = stays_here.error();
      if (!stays_here || !*stays_here) return !refused;
    }
    const std::size_t begin = place(field.whole);
    if (parts.runs.empty() || parts.runs.back().end != begin) parts.runs.push_back({begin, 0});
    parts.runs.back().end = begin + field.whole.size();
    return true;
  });
  if (refused) return *refused;
  if (!is_read) return reader.fault();
  parts.version = head.version;
  parts.has_more_pages = !head.continuation.empty();
  return parts;
}

// The length of the PodList stands before it, and changes last.
void rewrite_list(std::string& body, const ListParts& parts, const std::vector<CopyOf>& copies) {
  const std::string tail = body.substr(parts.items.end);
  std::size_t end = parts.items.begin;
  for (const Span& run : parts.runs) end = move_run(body, run, end);
  body.resize(end);
  for (const CopyOf& copy : copies)
    protobuf::append_field(body, number::kListItems, bytes_of(copy));
  std::string head;
  protobuf::append_field_head(head, number::kUnknownRaw, body.size() - parts.items.begin);
  body += tail;
  body.replace(parts.head, parts.items.begin - parts.head, head);
}

}  // namespace berth::podview
