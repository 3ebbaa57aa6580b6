#include <cstddef>
#include <string>
#include <string_view>

#include "extender/json_tokens.h"
#include "extender/wire.h"

// Replies are written into one string reserved to size: kube-scheduler waits for a reply of 5,000
// names.

namespace berth::extender {
namespace {

// Writes the separating comma before every element but the first.
class Commas {
 public:
  explicit Commas(std::string& out) : out_(out) {}
  void next() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
  }

 private:
  std::string& out_;
  bool is_first_ = true;
};

}  // namespace

std::string encode(const FilterReply& reply) {
  std::size_t size = 160;
  for (const std::string_view json : reply.accepted) size += json.size() + 1;
  for (const auto& [node, text] : reply.rejected) size += node.size() + text.size() + 6;
  std::string out;
  out.reserve(size);

  const bool as_objects = reply.form == NodeForm::objects;
  out += as_objects ? R"({"Nodes":{"metadata":{},"items":[)" : R"({"Nodes":null,"NodeNames":[)";
  Commas commas(out);
  for (const std::string_view json : reply.accepted) {
    commas.next();
    out += json;
  }
  out += as_objects ? R"(]},"NodeNames":null)" : "]";
  out += R"(,"FailedNodes":{},"FailedAndUnresolvableNodes":{)";
  Commas failed(out);
  for (const auto& [node, text] : reply.rejected) {
    failed.next();
    append_quoted(out, node);
    out += ':';
    append_quoted(out, text);
  }
  out += R"(},"Error":""})";
  return out;
}

std::string encode(const std::vector<HostScore>& scores) {
  std::size_t size = 2;
  for (const HostScore& each : scores) size += each.host.size() + 24;
  std::string out;
  out.reserve(size);
  out += '[';
  Commas commas(out);
  for (const HostScore& each : scores) {
    commas.next();
    out += R"({"Host":)";
    append_quoted(out, each.host);
    out += R"(,"Score":)";
    out += std::to_string(each.score);
    out += '}';
  }
  out += ']';
  return out;
}

std::string encode(const std::vector<NodeVictims>& nodes) {
  std::string out = R"({"NodeNameToMetaVictims":{)";
  Commas commas(out);
  for (const NodeVictims& each : nodes) {
    commas.next();
    append_quoted(out, each.node);
    out += R"(:{"Pods":[)";
    Commas pods(out);
    for (const std::string& uid : each.pod_uids) {
      pods.next();
      out += R"({"UID":)";
      append_quoted(out, uid);
      out += '}';
    }
    out += R"(],"NumPDBViolations":)";
    out += std::to_string(each.pdb_violations);
    out += '}';
  }
  out += "}}";
  return out;
}

std::string encode_bind_reply(std::string_view error) {
  std::string out = R"({"Error":)";
  append_quoted(out, error);
  out += '}';
  return out;
}

}  // namespace berth::extender
