#include "extender/wire.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>

#include "extender/json_text.h"

// A typed decoder over simdjson's on-demand parser: what we need is read where it stands, all else
// is walked over but checked as strictly, so that a body is either JSON as a whole or refused. Node
// names are views into the body; only those with escapes are unescaped, into the parser's buffer.

namespace berth::extender {
namespace {

namespace json = simdjson::ondemand;

constexpr int kDepthMax = 100;

bool is_space(char letter) {
  return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
}

// The scalar as written; of an object or a list, its bracket.
std::string_view token_of(json::value& value) {
  std::string_view token = value.raw_json_token();
  while (!token.empty() && is_space(token.back())) token.remove_suffix(1);
  return token;
}

std::string describe(simdjson::error_code code) {
  switch (code) {
    case simdjson::EMPTY:
      return "expected a JSON object, found nothing";
    case simdjson::UTF8_ERROR:
      return "not valid UTF-8";
    case simdjson::UNESCAPED_CHARS:
      return "a string with a control character";
    case simdjson::UNCLOSED_STRING:
      return "a string that does not end";
    case simdjson::STRING_ERROR:
      return "a string with an invalid escape";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return "an object or list that does not end";
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC:
      return "too large";
    default:
      return "malformed JSON";
  }
}

// Reads one document. Every member returns false after the first fault, which is kept.
class Walk {
 public:
  Walk(std::string_view body, json::document& document) : body_(body), document_(document) {}

  Error fault() const { return fault_.value_or(Error{"malformed JSON", ""}); }

  bool fail(std::string message, const char* at) {
    if (!fault_) {
      fault_ = Error{std::move(message), "byte " + std::to_string(at - body_.data())};
    }
    return false;
  }
  bool fail(simdjson::error_code code) {
    const char* at = nullptr;
    if (document_.current_location().get(at) == simdjson::SUCCESS) return fail(describe(code), at);
    if (!fault_) fault_ = Error{describe(code), ""};
    return false;
  }
  bool mismatch(std::string_view token, std::string_view what, const char* expected) {
    return fail("\"" + std::string(what) + "\": expected " + expected + ", found " + kind_of(token),
                token.data());
  }

  // The whole document: an object, and nothing after it.
  template <class OnField>
  bool root(OnField&& on_field) {
    json::value value;
    const std::size_t start = body_.find_first_not_of(" \n\t\r");
    if (start == body_.npos || body_[start] != '{') {
      const std::string_view rest = start == body_.npos ? "" : body_.substr(start);
      return fail(std::string("expected a JSON object, found ") + kind_of(rest),
                  body_.data() + std::min(start, body_.size()));
    }
    if (const auto code = document_.get_value().get(value)) return fail(code);
    if (!fields(value, "request", std::forward<OnField>(on_field))) return false;
    const char* after = nullptr;
    const auto code = document_.current_location().get(after);
    if (code == simdjson::SUCCESS) return fail("something after the end of the request", after);
    return true;
  }

  // Calls on_field(key, value), which returns false on failure. Null is an object without fields.
  template <class OnField>
  bool fields(json::value value, std::string_view what, OnField&& on_field) {
    const std::string_view token = token_of(value);
    if (token == "null") return true;
    if (token.empty() || token.front() != '{') return mismatch(token, what, "an object");
    json::object object;
    if (const auto code = value.get_object().get(object)) return fail(code);
    for (auto each : object) {
      json::field field;
      std::string_view key;
      if (const auto code = std::move(each).get(field)) return fail(code);
      if (const auto code = field.unescaped_key().get(key)) return fail(code);
      if (!on_field(key, field.value())) return false;
    }
    return true;
  }

  // Calls on_item(value), which returns false on failure. Null is an empty list.
  template <class OnItem>
  bool items(json::value value, std::string_view what, OnItem&& on_item) {
    const std::string_view token = token_of(value);
    if (token == "null") return true;
    if (token.empty() || token.front() != '[') return mismatch(token, what, "a list");
    json::array array;
    if (const auto code = value.get_array().get(array)) return fail(code);
    for (auto each : array) {
      json::value item;
      if (const auto code = std::move(each).get(item)) return fail(code);
      if (!on_item(item)) return false;
    }
    return true;
  }

  // The string as it stands in the body when it has no escapes, else unescaped by the parser.
  bool view(json::value value, std::string_view what, std::string_view& out) {
    const std::string_view token = token_of(value);
    if (token.size() < 2 || token.front() != '"') return mismatch(token, what, "a string");
    out = token.substr(1, token.size() - 2);
    if (out.find('\\') == out.npos) return true;
    const auto code = value.get_string().get(out);
    return code == simdjson::SUCCESS || fail(describe(code), token.data());
  }
  // Null leaves it empty.
  bool text(json::value value, std::string_view what, std::string& out) {
    out.clear();
    if (token_of(value) == "null") return true;
    std::string_view content;
    if (!view(value, what, content)) return false;
    out = content;
    return true;
  }
  bool integer(json::value value, std::string_view what, std::int64_t& out) {
    const std::string_view token = token_of(value);
    out = 0;
    if (token == "null") return true;
    if (is_json_number(token) && value.get_int64().get(out) == simdjson::SUCCESS) return true;
    return mismatch(token, what, "a 64-bit integer");
  }

  // Checks what nobody asked for.
  bool skip(json::value value, int depth = 3) {
    const std::string_view token = token_of(value);
    if (depth > kDepthMax) {
      return fail("nested deeper than " + std::to_string(kDepthMax), token.data());
    }
    const char first = token.empty() ? '\0' : token.front();
    if (first == '{') {
      return fields(value, "",
                    [&](std::string_view, json::value each) { return skip(each, depth + 1); });
    }
    if (first == '[') {
      return items(value, "", [&](json::value each) { return skip(each, depth + 1); });
    }
    std::string_view ignored;
    if (first == '"') return view(value, "", ignored);
    const bool is_word = token == "null" || token == "true" || token == "false";
    return is_word || is_json_number(token) || fail("malformed JSON", token.data());
  }

  // The JSON from `token` on to where the walk stands now, which is after that value.
  std::string_view since(std::string_view token) {
    const char* end = nullptr;
    if (document_.current_location().get(end) != simdjson::SUCCESS) {
      end = body_.data() + body_.size();
    }
    while (end > token.data() && is_space(end[-1])) --end;
    return {token.data(), static_cast<std::size_t>(end - token.data())};
  }

 private:
  std::string_view body_;
  json::document& document_;
  std::optional<Error> fault_;
};

bool read_pod(Walk& walk, json::value value, PodOnWire& pod) {
  const std::string_view token = token_of(value);
  pod = PodOnWire{};
  const bool is_read = walk.fields(value, "Pod", [&](std::string_view key, json::value part) {
    if (same_key(key, "metadata")) {
      return walk.fields(part, "Pod.metadata", [&](std::string_view name, json::value each) {
        if (same_key(name, "namespace")) return walk.text(each, "namespace", pod.name_space);
        if (same_key(name, "name")) return walk.text(each, "name", pod.name);
        if (same_key(name, "uid")) return walk.text(each, "uid", pod.uid);
        return walk.skip(each, 4);
      });
    }
    if (same_key(key, "spec")) {
      return walk.fields(part, "Pod.spec", [&](std::string_view name, json::value each) {
        if (!same_key(name, "schedulerName")) return walk.skip(each, 4);
        return walk.text(each, "schedulerName", pod.scheduler_name);
      });
    }
    if (same_key(key, "status")) {
      return walk.fields(part, "Pod.status", [&](std::string_view name, json::value each) {
        if (!same_key(name, "nominatedNodeName")) return walk.skip(each, 4);
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
        if (!same_key(key, "metadata")) return walk.skip(part, 5);
        return walk.fields(part, "metadata", [&](std::string_view name, json::value each) {
          if (!same_key(name, "name")) return walk.skip(each, 6);
          return walk.view(each, "metadata.name", node.name);
        });
      });
  if (is_read) node.json = walk.since(token);
  return is_read;
}

bool read_nodes(Walk& walk, json::value value, std::vector<NodeOnWire>& nodes) {
  nodes.clear();
  return walk.fields(value, "Nodes", [&](std::string_view key, json::value part) {
    if (!same_key(key, "items")) return walk.skip(part);
    nodes.clear();
    return walk.items(part, "Nodes.items", [&](json::value each) {
      return read_node(walk, each, nodes.emplace_back());
    });
  });
}

// Either form: pods are whole, with `metadata.uid`, or only a `UID`.
bool read_victims(Walk& walk, json::value value, std::vector<NodeVictims>& nodes) {
  nodes.clear();
  const auto read_victim = [&](json::value victim, NodeVictims& node) {
    std::string& uid = node.pod_uids.emplace_back();
    return walk.fields(victim, "Pods", [&](std::string_view key, json::value part) {
      if (same_key(key, "UID")) return walk.text(part, "UID", uid);
      if (!same_key(key, "metadata")) return walk.skip(part, 6);
      return walk.fields(part, "metadata", [&](std::string_view name, json::value each) {
        return same_key(name, "uid") ? walk.text(each, "uid", uid) : walk.skip(each, 7);
      });
    });
  };
  return walk.fields(value, "victims", [&](std::string_view name, json::value victims) {
    NodeVictims& node = nodes.emplace_back();
    node.node = name;
    return walk.fields(victims, "victims", [&](std::string_view key, json::value part) {
      if (same_key(key, "NumPDBViolations")) {
        return walk.integer(part, "NumPDBViolations", node.pdb_violations);
      }
      if (!same_key(key, "Pods")) return walk.skip(part, 4);
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

  // A body with whole nodes may be 50 MB; what the parser took for it is not kept for long.
  static constexpr std::size_t kKeptBytes = 4 << 20;
  void let_go(std::size_t needed) {
    if (needed >= kKeptBytes || parser.capacity() < kKeptBytes) return;
    parser = json::parser();
    padded = std::string();
  }

  // The body, where the parser may read past its end.
  std::string_view settle(const std::string& body) {
    if (body.capacity() - body.size() >= simdjson::SIMDJSON_PADDING) return body;
    padded.reserve(body.size() + simdjson::SIMDJSON_PADDING);
    padded = body;
    return padded;
  }

  template <class OnField>
  Status read(const std::string& body, OnField&& on_field) {
    let_go(body.size());
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
        if (same_key(key, "Pod")) return read_pod(walk, value, args.pod);
        if (same_key(key, "NodeNames")) {
          args.form = is_null ? NodeForm::none : NodeForm::names;
          return read_names(walk, value, args.nodes);
        }
        if (same_key(key, "Nodes")) {
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
        if (same_key(key, "Pod")) return read_pod(walk, value, args.pod);
        if (same_key(key, "NodeNameToMetaVictims")) return read_victims(walk, value, args.nodes);
        if (same_key(key, "NodeNameToVictims")) return read_victims(walk, value, whole);
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
        if (same_key(key, "PodName")) return walk.text(value, "PodName", binding.name);
        if (same_key(key, "PodNamespace"))
          return walk.text(value, "PodNamespace", binding.name_space);
        if (same_key(key, "PodUID")) return walk.text(value, "PodUID", binding.uid);
        if (same_key(key, "Node")) return walk.text(value, "Node", binding.node);
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
