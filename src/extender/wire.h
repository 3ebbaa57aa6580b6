#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/result.h"
#include "ports/binder.h"

// The scheduler-extender protocol on the wire (DESIGN D7). Keys are written as in Go (`NodeNames`)
// and read in any case. Unknown keys are skipped, and anything absent may be null. A request that
// kube-scheduler would not send is refused with the expected value and the place ("byte 17").

namespace berth::extender {

// The fields of a Pod that every call needs. The rest is decoded from `json` on demand.
struct PodOnWire {
  std::string name_space;
  std::string name;
  std::string uid;
  std::string scheduler_name;
  std::string nominated_node;
  std::string_view json;   // the whole object
  bool is_daemon = false;  // a DaemonSet controls it

  std::string full_name() const { return name_space + "/" + name; }
};

struct NodeOnWire {
  std::string_view name;
  std::string_view json;  // its name in quotes, or the whole Node object; sent back as it came
};

// The list that a request carries; its reply must carry the same.
enum class NodeForm : std::uint8_t { none, names, objects };

struct FilterArgs {  // ExtenderArgs: of filter and of prioritize
  PodOnWire pod;
  NodeForm form = NodeForm::none;
  std::vector<NodeOnWire> nodes;
};

struct FilterReply {
  NodeForm form = NodeForm::names;
  std::vector<std::string_view> accepted;  // `NodeOnWire::json` of each
  // FailedAndUnresolvableNodes: node and text. FailedNodes would be candidates for kube-scheduler's
  // preemption.
  std::vector<std::pair<std::string_view, std::string_view>> rejected;
};

struct HostScore {
  std::string_view host;
  int score = 0;  // 0..10
};

struct NodeVictims {
  std::string node;
  std::vector<std::string> pod_uids;
  std::int64_t pdb_violations = 0;
};

struct PreemptArgs {  // ExtenderPreemptionArgs, of either form
  PodOnWire pod;
  std::vector<NodeVictims> nodes;  // in the order sent
};

// Decodes requests and keeps its memory between them. One thread at a time. Results view the body
// and the reader; they are valid until the next call or a change of the body. A body with
// http::kBodyPadding of spare capacity is not copied.
class WireReader {
 public:
  WireReader();
  ~WireReader();

  Result<FilterArgs> filter_args(const std::string& body);
  Result<PreemptArgs> preempt_args(const std::string& body);
  Result<ports::Binding> binding_args(const std::string& body);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

std::string encode(const FilterReply& reply);
std::string encode(const std::vector<HostScore>& scores);
std::string encode(const std::vector<NodeVictims>& nodes);  // always the meta form
std::string encode_bind_reply(std::string_view error);      // empty: bound

}  // namespace berth::extender
