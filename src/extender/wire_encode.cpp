#include <cstddef>
#include <string>
#include <string_view>

#include "berth/base/text.h"
#include "extender/wire.h"

// Replies are written into one string reserved to size: kube-scheduler waits for a reply of 5,000
// names.

namespace berth::extender {
namespace {

// Calls append(each) for each of the list, with a comma between two.
template <class List, class Append>
void append_list(std::string& out, const List& list, Append&& append) {
  for (const auto& each : list) {
    append(each);
    out += ',';
  }
  if (!list.empty()) out.pop_back();
}

}  // namespace

std::string encode(const FilterReply& reply) {
  std::size_t size = 160;
  for (const std::string_view json : reply.accepted) size += json.size() + 1;
  for (const auto& [node, text] : reply.rejected) size += node.size() + text.size() + 6;
  std::string out;
  out.reserve(size);

  const bool as_objects = reply.form == NodeForm::objects;
  out += as_objects ? R"({"Nodes":{"metadata":{},"items":[)" : R"({"Nodes":null,"NodeNames":[)";
  append_list(out, reply.accepted, [&](std::string_view json) { out += json; });
  out += as_objects ? R"(]},"NodeNames":null)" : "]";
  out += R"(,"FailedNodes":{},"FailedAndUnresolvableNodes":{)";
  append_list(out, reply.rejected, [&](const auto& each) {
    append_json_string(out, each.first);
    out += ':';
    append_json_string(out, each.second);
  });
  out += R"(},"Error":""})";
  return out;
}

std::string encode(const std::vector<HostScore>& scores) {
  std::size_t size = 2;
  for (const HostScore& each : scores) size += each.host.size() + 24;
  std::string out;
  out.reserve(size);
  out += '[';
  append_list(out, scores, [&](const HostScore& each) {
    out += R"({"Host":)";
    append_json_string(out, each.host);
    out += R"(,"Score":)";
    out += std::to_string(each.score);
    out += '}';
  });
  out += ']';
  return out;
}

std::string encode(const std::vector<NodeVictims>& nodes) {
  std::string out = R"({"NodeNameToMetaVictims":{)";
  append_list(out, nodes, [&](const NodeVictims& each) {
    append_json_string(out, each.node);
    out += R"(:{"Pods":[)";
    append_list(out, each.pod_uids, [&](const std::string& uid) {
      out += R"({"UID":)";
      append_json_string(out, uid);
      out += '}';
    });
    out += R"(],"NumPDBViolations":)";
    out += std::to_string(each.pdb_violations);
    out += '}';
  });
  out += "}}";
  return out;
}

std::string encode_bind_reply(std::string_view error) {
  std::string out = R"({"Error":)";
  append_json_string(out, error);
  out += '}';
  return out;
}

}  // namespace berth::extender
