#include "extender/wire.h"

#include "berth/base/text.h"
#include "extender/wire_walk.h"

// A typed decoder over simdjson's on-demand parser. It reads the needed fields in place. It walks
// over the rest and checks it as strictly, so it refuses a body that is not wholly JSON. Node names
// are views into the body; names with escapes are unescaped into the parser's buffer.

namespace berth::extender {
namespace {

// Reads only the controller of a pod's owners, and only its kind.
bool read_owners(Walk& walk, json::value value, bool& is_daemon) {
  is_daemon = false;
  return walk.items(value, "ownerReferences", [&](json::value owner) {
    std::string kind;
    bool is_controller = false;
    const bool is_read =
        walk.fields(owner, "ownerReferences", [&](std::string_view key, json::value part) {
          if (is_same_word(key, "kind")) return walk.text(part, "kind", kind);
          if (is_same_word(key, "controller")) is_controller = token_of(part) == "true";
          return walk.skip(part, 6);
        });
    is_daemon = is_daemon || (is_controller && kind == "DaemonSet");
    return is_read;
  });
}

bool read_pod(Walk& walk, json::value value, PodOnWire& pod) {
  const std::string_view token = token_of(value);
  pod = PodOnWire{};
  const bool is_read = walk.fields(value, "Pod", [&](std::string_view key, json::value part) {
    if (is_same_word(key, "metadata")) {
      return walk.fields(part, "Pod.metadata", [&](std::string_view name, json::value each) {
        if (is_same_word(name, "namespace")) return walk.text(each, "namespace", pod.name_space);
        if (is_same_word(name, "name")) return walk.text(each, "name", pod.name);
        if (is_same_word(name, "uid")) return walk.text(each, "uid", pod.uid);
        if (is_same_word(name, "ownerReferences")) return read_owners(walk, each, pod.is_daemon);
        return walk.skip(each, 4);
      });
    }
    if (is_same_word(key, "spec")) {
      return walk.fields(part, "Pod.spec", [&](std::string_view name, json::value each) {
        if (!is_same_word(name, "schedulerName")) return walk.skip(each, 4);
        return walk.text(each, "schedulerName", pod.scheduler_name);
      });
    }
    if (is_same_word(key, "status")) {
      return walk.fields(part, "Pod.status", [&](std::string_view name, json::value each) {
        if (!is_same_word(name, "nominatedNodeName")) return walk.skip(each, 4);
        return walk.text(each, "nominatedNodeName", pod.nominated_node);
      });
    }
    return walk.skip(part);
  });
  if (is_read && token != "null") pod.json = walk.since(token);
  return is_read;
}

bool read_names(Walk& walk, json::value value, std::vector<NodeOnWire>& names) {
  names.clear();
  return walk.items(value, "NodeNames", [&](json::value each) {
    NodeOnWire node;
    node.json = token_of(each);
    if (!walk.view(each, "NodeNames", node.name)) return false;
    names.push_back(node);
    return true;
  });
}

bool read_node(Walk& walk, json::value value, NodeOnWire& node) {
  const std::string_view token = token_of(value);
  if (token == "null") return walk.mismatch(token, "Nodes.items", "an object");
  const bool is_read =
      walk.fields(value, "Nodes.items", [&](std::string_view key, json::value part) {
        if (!is_same_word(key, "metadata")) return walk.skip(part, 5);
        return walk.fields(part, "metadata", [&](std::string_view name, json::value each) {
          if (!is_same_word(name, "name")) return walk.skip(each, 6);
          return walk.view(each, "metadata.name", node.name);
        });
      });
  if (is_read) node.json = walk.since(token);
  return is_read;
}

bool read_nodes(Walk& walk, json::value value, std::vector<NodeOnWire>& nodes) {
  nodes.clear();
  return walk.fields(value, "Nodes", [&](std::string_view key, json::value part) {
    if (!is_same_word(key, "items")) return walk.skip(part);
    nodes.clear();
    return walk.items(part, "Nodes.items", [&](json::value each) {
      return read_node(walk, each, nodes.emplace_back());
    });
  });
}

// Reads both forms: whole pods with `metadata.uid`, or only a `UID`.
bool read_victims(Walk& walk, json::value value, std::vector<NodeVictims>& nodes) {
  nodes.clear();
  const auto read_victim = [&](json::value victim, NodeVictims& node) {
    std::string& uid = node.pod_uids.emplace_back();
    return walk.fields(victim, "Pods", [&](std::string_view key, json::value part) {
      if (is_same_word(key, "UID")) return walk.text(part, "UID", uid);
      if (!is_same_word(key, "metadata")) return walk.skip(part, 6);
      return walk.fields(part, "metadata", [&](std::string_view name, json::value each) {
        return is_same_word(name, "uid") ? walk.text(each, "uid", uid) : walk.skip(each, 7);
      });
    });
  };
  return walk.fields(value, "victims", [&](std::string_view name, json::value victims) {
    NodeVictims& node = nodes.emplace_back();
    node.node = name;
    return walk.fields(victims, "victims", [&](std::string_view key, json::value part) {
      if (is_same_word(key, "NumPDBViolations")) {
        return walk.integer(part, "NumPDBViolations", node.pdb_violations);
      }
      if (!is_same_word(key, "Pods")) return walk.skip(part, 4);
      node.pod_uids.clear();
      return walk.items(part, "Pods", [&](json::value each) { return read_victim(each, node); });
    });
  });
}

Error missing(const char* key, const char* expected) {
  return Error{std::string("\"") + key + "\" is missing, expected " + expected, ""};
}

}  // namespace

struct WireReader::Memory {
  json::parser parser;
  json::document document;
  std::string padded;

  // A body with whole nodes may be 50 MB. The parser's memory for it is freed soon.
  static constexpr std::size_t kKeptBytes = 4 << 20;
  void free_memory(std::size_t needed) {
    if (needed >= kKeptBytes || parser.capacity() < kKeptBytes) return;
    parser = json::parser();
    padded = std::string();
  }

  // Returns the body with room behind it for the parser to read ahead.
  std::string_view settle(const std::string& body) {
    if (body.capacity() - body.size() >= simdjson::SIMDJSON_PADDING) return body;
    padded.reserve(body.size() + simdjson::SIMDJSON_PADDING);
    padded = body;
    return padded;
  }

  template <class OnField>
  Status read(const std::string& body, OnField&& on_field) {
    free_memory(body.size());
    const std::string_view text = settle(body);
    const simdjson::padded_string_view view(text.data(), text.size(),
                                            text.size() + simdjson::SIMDJSON_PADDING);
    if (const auto code = parser.iterate(view).get(document)) return Error{describe(code), ""};
    Walk walk(text, document);
    const bool is_read = walk.root(
        [&](std::string_view key, json::value value) { return on_field(walk, key, value); });
    if (!is_read) return walk.fault();
    return Done{};
  }
};

WireReader::WireReader() : memory_(std::make_unique<Memory>()) {}
WireReader::~WireReader() = default;

Result<FilterArgs> WireReader::filter_args(const std::string& body) {
  FilterArgs args;
  std::vector<NodeOnWire> objects;
  bool has_objects = false;
  const Status status =
      memory_->read(body, [&](Walk& walk, std::string_view key, json::value value) {
        const bool is_null = token_of(value) == "null";
        if (is_same_word(key, "Pod")) return read_pod(walk, value, args.pod);
        if (is_same_word(key, "NodeNames")) {
          args.form = is_null ? NodeForm::none : NodeForm::names;
          return read_names(walk, value, args.nodes);
        }
        if (is_same_word(key, "Nodes")) {
          has_objects = !is_null;
          return read_nodes(walk, value, objects);
        }
        return walk.skip(value, 2);
      });
  if (!status) return status.error();
  if (args.pod.json.empty()) return missing("Pod", "an object");
  if (args.form == NodeForm::none && has_objects) {
    args.form = NodeForm::objects;
    args.nodes = std::move(objects);
  }
  return args;
}

Result<PreemptArgs> WireReader::preempt_args(const std::string& body) {
  PreemptArgs args;
  std::vector<NodeVictims> whole;
  const Status status =
      memory_->read(body, [&](Walk& walk, std::string_view key, json::value value) {
        if (is_same_word(key, "Pod")) return read_pod(walk, value, args.pod);
        if (is_same_word(key, "NodeNameToMetaVictims"))
          return read_victims(walk, value, args.nodes);
        if (is_same_word(key, "NodeNameToVictims")) return read_victims(walk, value, whole);
        return walk.skip(value, 2);
      });
  if (!status) return status.error();
  if (args.pod.json.empty()) return missing("Pod", "an object");
  if (args.nodes.empty()) args.nodes = std::move(whole);
  return args;
}

Result<ports::Binding> WireReader::binding_args(const std::string& body) {
  ports::Binding binding;
  const Status status =
      memory_->read(body, [&](Walk& walk, std::string_view key, json::value value) {
        if (is_same_word(key, "PodName")) return walk.text(value, "PodName", binding.name);
        if (is_same_word(key, "PodNamespace"))
          return walk.text(value, "PodNamespace", binding.name_space);
        if (is_same_word(key, "PodUID")) return walk.text(value, "PodUID", binding.uid);
        if (is_same_word(key, "Node")) return walk.text(value, "Node", binding.node);
        return walk.skip(value, 2);
      });
  if (!status) return status.error();
  if (binding.name.empty()) return missing("PodName", "a pod's name");
  if (binding.name_space.empty()) return missing("PodNamespace", "a namespace");
  if (binding.uid.empty()) return missing("PodUID", "a pod's uid");
  if (binding.node.empty()) return missing("Node", "a node's name");
  return binding;
}

}  // namespace berth::extender
