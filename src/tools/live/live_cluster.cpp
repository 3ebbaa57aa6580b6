#include "tools/live/live_cluster.h"

#include <set>
#include <utility>

#include "kube/codecs.h"
#include "tools/config_command.h"
#include "tools/live/api_reader.h"
#include "tools/output.h"

namespace berth::tools {

namespace {

struct ListedKind {
  Resource resource;
  const char* kind;
  bool is_required = false;
  bool is_older = false;  // a version of the kind before it in the list, if that is not there
};

// Of groups of one name, the first API counts (KUBEGROUP-4).
std::vector<ListedKind> listed_kinds(ClusterUse use) {
  std::vector<ListedKind> kinds{
      {{"", "v1", "nodes"}, "Node", true},
      {{"", "v1", "pods"}, "Pod", true},
      {{"kueue.x-k8s.io", "v1beta2", "topologies"}, "Topology"},
      {{"kueue.x-k8s.io", "v1beta1", "topologies"}, "Topology", false, true},
      {{"kai.scheduler", "v1alpha1", "topologies"}, "Topology"},
      {{"topology.volcano.sh", "v1alpha1", "hypernodes"}, "HyperNode"},
      {{"scheduling.volcano.sh", "v1beta1", "podgroups"}, "PodGroup"},
      {{"scheduling.x-k8s.io", "v1alpha1", "podgroups"}, "PodGroup"},
      {{"scheduling.k8s.io", "v1beta1", "podgroups"}, "PodGroup"},
      {{"scheduling.k8s.io", "v1alpha2", "podgroups"}, "PodGroup", false, true}};
  if (use == ClusterUse::topology) return kinds;
  const std::vector<ListedKind> others{
      {{"scheduling.volcano.sh", "v1beta1", "queues"}, "Queue"},
      {{"scheduling.k8s.io", "v1", "priorityclasses"}, "PriorityClass"},
      {{"", "v1", "namespaces"}, "Namespace"},
      {{"policy", "v1", "poddisruptionbudgets"}, "PodDisruptionBudget"},
      {{"batch", "v1", "jobs"}, "Job"}};
  kinds.insert(kinds.end(), others.begin(), others.end());
  return kinds;
}

const char* role_for(ClusterUse use) {
  return use == ClusterUse::topology ? "berth-topology-view" : "berth-when-view";
}

kube::TypeName type_of(const ListedKind& kind) {
  const Resource& resource = kind.resource;
  const std::string group = resource.group.empty() ? "" : resource.group + "/";
  return {kind.kind, group + resource.version};
}

Result<ClusterEvent> decode_one(const ListedKind& kind, const document::Value& item) {
  const kube::TypeName type = type_of(kind);
  const std::string place = kind.resource.full_name();
  kube::Complaint complaint;
  if (kube::is_known(type)) return kube::decode_live(type, item, place, complaint);
  Result<OwnerObject> owner = kube::decode_owner(item, place, type);
  if (!owner) return owner.error();
  return ClusterEvent(*std::move(owner));
}

void decode_all(const ListedKind& kind, const Objects& items, std::set<std::string>& groups,
                std::vector<ClusterEvent>& to, std::vector<std::string>& notes) {
  for (const document::Value& item : items.items) {
    Result<ClusterEvent> object = decode_one(kind, item);
    if (!object) {
      notes.push_back(object.error().to_string());
      continue;
    }
    const auto* const group = std::get_if<PodGroupObject>(&*object);
    if (group != nullptr && !groups.insert(group->full_name()).second) continue;
    to.push_back(std::move(object).value());
  }
}

int exit_code_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::none:
      return kExitDone;
    case Refusal::forbidden:
      return kExitForbidden;
    case Refusal::not_found:
      return kExitNotFound;
    case Refusal::other:
      return kExitBadInput;
  }
  return kExitBadInput;
}

}  // namespace

Result<int> show_live_cluster(const KubeFlags& flags, const std::string& config, ClusterUse use,
                              Console& console,
                              const std::function<Result<int>(const ClusterInput&)>& show) {
  Result<conf::Config> loaded = open_config(config);
  if (!loaded) return loaded.error();
  const auto reader = ApiReader::open(flags);
  if (!reader) return reader.error();
  ClusterInput all{{}, *std::move(loaded)};
  std::vector<std::string> notes;
  std::set<std::string> groups;
  bool is_there = false;
  for (const ListedKind& kind : listed_kinds(use)) {
    if (kind.is_older && is_there) continue;
    const Objects items =
        (*reader)->list(kind.resource, "", "", {.role = role_for(use), .is_for_cluster = true});
    is_there = items.refusal != Refusal::not_found;
    if (items.ok()) {
      decode_all(kind, items, groups, all.objects, notes);
    } else if (kind.is_required) {
      say(items.message, console.err);
      return exit_code_of(items.refusal);
    } else if (is_there) {
      notes.push_back(items.message);
    }
  }
  for (const std::string& note : notes) say("note: " + note, console.err);
  return show(all);
}

}  // namespace berth::tools
