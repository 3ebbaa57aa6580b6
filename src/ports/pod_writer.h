#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace berth::ports {

// A write on a pod by which kube-scheduler is steered. The rules are in docs/design/steering.md.
struct PodWrite {
  enum class Kind : std::uint8_t {
    nominate,  // status.nominatedNodeName = node; an empty node clears it
    commit,    // our gate off, our plan on: kube-scheduler is to act now
    touch,     // a change without meaning, so that kube-scheduler looks at the pod again
    tolerate,  // one more toleration: of the taint of nodes that are locked for its job
  };
  Kind kind = Kind::nominate;
  std::string name_space = {};
  std::string name = {};
  std::string uid = {};  // a precondition: another pod of the same name is not written to
  std::string node = {};
  // commit: the pod may only go to these (required node affinity by name). Empty: to any, and the
  // extender's filter decides. Only for gated pods: others cannot be changed so.
  std::vector<std::string> only_nodes = {};
  // commit by nodeSelector on the host name, for pods with required affinity of their own.
  std::string only_hostname = {};
  // tolerate: the taint's value, and whether the pod has no tolerations so far.
  std::string locked_for = {};
  bool is_first_toleration = false;
  std::uint64_t epoch = 0;     // who leads: fences off an earlier leader's writes
  std::uint64_t sequence = 0;  // no two writes are alike, so each wakes the pod
};

struct WriteOutcome {
  enum class Result : std::uint8_t {
    done,
    gone,    // no such pod any more, or another of the same name
    failed,  // refused, or not delivered; worth trying again later
  };
  Result result = Result::done;
  std::string error;
};

// Any thread. Returns at once; `done` is called exactly once, from any thread, possibly before
// write() returns.
class PodWriter {
 public:
  virtual ~PodWriter() = default;
  virtual void write(const PodWrite& write, std::function<void(WriteOutcome)> done) = 0;
};

}  // namespace berth::ports
