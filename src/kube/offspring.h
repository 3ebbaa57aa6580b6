#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "berth/base/result.h"
#include "document/value.h"
#include "kube/children.h"
#include "kube/codecs.h"

namespace berth::kube {

// The pods that were made for one object of the input that has none there.
struct Made {
  std::string owner;  // "Job ml/training"
  std::size_t pods = 0;
  std::string remark;  // why these are not all, see make_children(); may be empty

  // "Job ml/train has no pods in the input; 3 are made".
  std::string to_string() const;
};

// The objects of manifests that make others (children.h), and what they would make. Objects that
// have children in the manifests, as a dump of a cluster has them, make none.
class Offspring {
 public:
  // Takes each child: a pod, or an object that makes pods, with the file of its parent.
  using Sink = std::function<Status(const TypeName& type, const document::Value& child,
                                    const std::string& file)>;

  // `most`: of the pods, and of the other objects, that one object may make.
  explicit Offspring(std::size_t most = kPodsMax) : most_(most) {}

  // To be called with each pod and each object that makes children, in any order.
  void see(const TypeName& type, const document::Value& object);

  // Keeps an object that makes children, with a uid of its own if it has none. An Error if it is
  // the second one of its name.
  Status keep(const TypeName& type, document::Value& object, const std::string& file);

  // Makes all children. `made` is in the order of (kind, namespace, name), without objects that
  // have ended.
  Status make(const Sink& sink, std::vector<Made>& made, std::vector<std::string>& warnings) const;

 private:
  using Name = std::tuple<std::string, std::string, std::string>;  // kind, namespace, name
  struct Kept {
    TypeName type;
    document::Value object;
    std::string file;
    bool has_own_uid = false;
  };

  bool has_children(const Name& name, const Kept& kept) const;

  const std::size_t most_;
  std::map<Name, Kept> kept_;
  std::set<std::string> owner_uids_;
  std::set<Name> owners_;    // by ownerReferences
  std::set<Name> by_label_;  // see maker_by_label()
};

}  // namespace berth::kube
