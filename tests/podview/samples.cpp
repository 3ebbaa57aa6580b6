#include "podview/samples.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "podview/client.pb.h"
#include "podview/codec.h"

namespace berth::podview::testing {

namespace {

const std::string kMagic("k8s\0", 4);

// An event or item as a client decodes it.
struct Found {
  std::string type;
  Sample pod;
  bool has_managed_fields = false;
  bool is_damaged = false;
};

std::string text_of(const Terms& terms) {
  std::string text;
  for (const Texts& term : terms) {
    std::string inside;
    for (const std::string& each : term) inside += (inside.empty() ? "" : " & ") + each;
    text += (text.empty() ? " (" : " | (") + inside + ")";
  }
  return text;
}

std::string line_of(const Found& found) {
  std::string line = found.type + (found.type.empty() ? "" : " ") + found.pod.name;
  line += (found.pod.name.empty() ? "" : " ") + found.pod.version;
  if (!found.pod.node.empty()) line += " on " + found.pod.node;
  line +=
      found.pod.has_required && found.pod.required.empty() ? " ()" : text_of(found.pod.required);
  if (!found.pod.nominated.empty()) line += " nominated " + found.pod.nominated;
  if (found.pod.is_marked) line += " marked";
  if (found.pod.has_init_container) line += " init";
  if (found.pod.has_others) line += " others";
  if (found.has_managed_fields) line += " managed";
  return found.is_damaged ? line + " damaged" : line;
}

client::Term term_of(const Texts& parts) {
  client::Term term;
  for (const std::string& part : parts) {
    const std::string key = part.substr(0, part.find(' '));
    client::Requirement& added =
        key.find('.') == key.npos ? *term.add_expressions() : *term.add_fields();
    added.set_key(key);
    added.set_operation("In");
    added.add_values(part.substr(part.rfind(' ') + 1));
  }
  return term;
}

client::Pod pod_of(const Sample& sample) {
  client::Pod pod;
  client::ObjectMeta& metadata = *pod.mutable_metadata();
  metadata.set_name(sample.name);
  metadata.set_namespace_("default");
  metadata.set_uid(sample.uid.empty() ? sample.name : sample.uid);
  metadata.set_resource_version(sample.version);
  (*metadata.mutable_labels())["label"] = "kept";
  metadata.add_managed_fields()->set_manager("kubectl");
  if (sample.is_terminating) metadata.mutable_deletion_timestamp()->set_seconds(1);
  client::PodSpec& spec = *pod.mutable_spec();
  client::Container& container = *spec.add_containers();
  container.set_name("c");
  container.set_image("i");
  if (sample.has_init_container) spec.add_init_containers()->set_image("first");
  spec.set_node_name(sample.node);  // empty texts are there, too
  spec.set_scheduler_name(sample.scheduler);
  spec.set_priority(1000);
  if (sample.is_gated) spec.add_scheduling_gates()->set_name("example.org/gate");
  if (sample.has_required) {
    auto& required = *spec.mutable_affinity()->mutable_node_affinity()->mutable_required();
    for (const Texts& term : sample.required) *required.add_terms() = term_of(term);
  }
  if (sample.has_others) {
    auto& preferred = *spec.mutable_affinity()->mutable_node_affinity()->add_preferred();
    preferred.set_weight(7);
    *preferred.mutable_preference() = term_of({"disk In ssd"});
    spec.mutable_affinity()->set_pod_anti_affinity("x");
  }
  if (sample.has_status) {
    pod.mutable_status()->set_phase(sample.phase);
    pod.mutable_status()->set_qos_class("Burstable");
  }
  if (!sample.nominated.empty()) pod.mutable_status()->set_nominated_node_name(sample.nominated);
  return pod;
}

template <class Message>
std::string object(const std::string& kind, const Message& message) {
  client::Unknown unknown;
  unknown.mutable_type_meta()->set_api_version("v1");
  unknown.mutable_type_meta()->set_kind(kind);
  unknown.set_raw(message.SerializeAsString());
  unknown.set_content_encoding("");
  unknown.set_content_type("");
  return kMagic + unknown.SerializeAsString();
}

std::string frame(const std::string& type, const std::string& raw) {
  client::WatchEvent event;
  event.set_type(type);
  event.mutable_object()->set_raw(raw);
  const std::string bytes = event.SerializeAsString();
  std::string head;
  for (const int shift : {24, 16, 8, 0}) head += static_cast<char>(bytes.size() >> shift & 0xff);
  return head + bytes;
}

Texts parts_of(const client::Term& term) {
  Texts parts;
  const auto add = [&](const auto& requirements) {
    for (const client::Requirement& each : requirements) {
      std::string text = each.key() + " " + each.operation();
      for (const std::string& value : each.values()) text += " " + value;
      parts.push_back(text);
    }
  };
  add(term.expressions());
  add(term.fields());
  return parts;
}

Found found_in(const std::string& type, const client::Pod& pod) {
  Found found{type, {}};
  found.pod.name = pod.metadata().name();
  found.pod.version = pod.metadata().resource_version();
  found.has_managed_fields = !pod.metadata().managed_fields().empty();
  if (type == "BOOKMARK") return found;
  const client::PodSpec& spec = pod.spec();
  found.pod.node = spec.node_name();
  found.pod.has_required = spec.affinity().node_affinity().has_required();
  for (const client::Term& term : spec.affinity().node_affinity().required().terms()) {
    found.pod.required.push_back(parts_of(term));
  }
  found.pod.has_others = spec.affinity().node_affinity().preferred_size() == 1 &&
                         !spec.affinity().pod_anti_affinity().empty();
  found.pod.nominated = pod.status().nominated_node_name();
  for (const client::Container& each : spec.init_containers()) {
    for (const client::Request& request : each.resources().requests()) {
      found.pod.is_marked |= request.key() == kMarker && request.value().string() == "0";
    }
    found.pod.has_init_container |= each.image() == "first";
  }
  found.is_damaged = pod.metadata().labels().count("label") == 0 || spec.containers_size() != 1 ||
                     spec.containers(0).image() != "i" || spec.priority() != 1000;
  return found;
}

client::Unknown unknown_in(std::string_view bytes) {
  client::Unknown unknown;
  EXPECT_TRUE(bytes.starts_with(kMagic));
  EXPECT_TRUE(unknown.ParseFromString(std::string(bytes.substr(4))));
  EXPECT_EQ(unknown.type_meta().api_version(), "v1");
  return unknown;
}

}  // namespace

std::string pod_text(const Sample& pod) { return pod_of(pod).SerializeAsString(); }

std::string event(const std::string& type, const Sample& pod) {
  return frame(type, object("Pod", pod_of(pod)));
}

std::string bookmark(const std::string& version, bool ends_initial_events) {
  client::Pod pod;
  pod.mutable_metadata()->set_resource_version(version);
  if (ends_initial_events) {
    (*pod.mutable_metadata()->mutable_annotations())["k8s.io/initial-events-end"] = "true";
  }
  return frame("BOOKMARK", object("Pod", pod));
}

std::string error(int code, const std::string& reason) {
  client::Status status;
  status.set_reason(reason);
  status.set_code(code);
  return frame("ERROR", object("Status", status));
}

std::string list(const std::string& version, const std::vector<Sample>& pods,
                 const std::string& continuation) {
  client::PodList list;
  list.mutable_metadata()->set_resource_version(version);
  list.mutable_metadata()->set_continuation(continuation);
  for (const Sample& pod : pods) *list.add_items() = pod_of(pod);
  return object("PodList", list);
}

std::vector<std::string_view> frames_of(std::string_view bytes) {
  std::vector<std::string_view> frames;
  while (bytes.size() >= 4) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<unsigned char>(bytes[i]);
    EXPECT_LE(size, bytes.size() - 4);
    size = std::min(bytes.size(), size + 4);
    frames.push_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  EXPECT_TRUE(bytes.empty());
  return frames;
}

Texts events_of(std::string_view bytes) {
  Texts lines;
  for (const std::string_view frame : frames_of(bytes)) {
    client::WatchEvent event;
    EXPECT_TRUE(event.ParseFromString(std::string(frame.substr(4))));
    const client::Unknown unknown = unknown_in(event.object().raw());
    if (unknown.type_meta().kind() == "Status") {
      client::Status status;
      EXPECT_TRUE(status.ParseFromString(unknown.raw()));
      lines.push_back(event.type() + " " + std::to_string(status.code()));
      continue;
    }
    EXPECT_EQ(unknown.type_meta().kind(), "Pod");
    client::Pod pod;
    EXPECT_TRUE(pod.ParseFromString(unknown.raw()));
    lines.push_back(line_of(found_in(event.type(), pod)));
  }
  return lines;
}

Texts items_of(std::string_view body) {
  const client::Unknown unknown = unknown_in(body);
  EXPECT_EQ(unknown.type_meta().kind(), "PodList");
  client::PodList list;
  EXPECT_TRUE(list.ParseFromString(unknown.raw()));
  Texts lines;
  for (const client::Pod& item : list.items()) lines.push_back(line_of(found_in("", item)));
  lines.push_back("list " + list.metadata().resource_version());
  return lines;
}

}  // namespace berth::podview::testing
