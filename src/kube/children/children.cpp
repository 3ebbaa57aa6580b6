#include "kube/children.h"

#include <algorithm>
#include <array>

#include "kube/children/making.h"
#include "kube/known_fields.h"

namespace berth::kube {

namespace {

struct MakerRow {
  std::string_view kind;
  std::string_view group;
  std::string (*make)(Making& making);
  // The label with its name of pods that it does not make itself.
  std::string_view label;
};

constexpr std::array<MakerRow, 12> kRows{
    {{"Job", "batch", &make_of_job, ""},
     {"StatefulSet", "apps", &make_of_stateful_set, ""},
     {"JobSet", "jobset.x-k8s.io", &make_of_job_set, "jobset.sigs.k8s.io/jobset-name"},
     {"LeaderWorkerSet", "leaderworkerset.x-k8s.io", &make_of_leader_worker_set,
      "leaderworkerset.sigs.k8s.io/name"},
     {"PyTorchJob", "kubeflow.org", &make_of_training_job, ""},
     {"TFJob", "kubeflow.org", &make_of_training_job, ""},
     {"XGBoostJob", "kubeflow.org", &make_of_training_job, ""},
     {"PaddleJob", "kubeflow.org", &make_of_training_job, ""},
     {"JAXJob", "kubeflow.org", &make_of_training_job, ""},
     {"MPIJob", "kubeflow.org", &make_of_mpi_job, ""},
     {"RayCluster", "ray.io", &make_of_ray_cluster, ""},
     {"RayJob", "ray.io", &make_of_ray_job, ""}}};

const MakerRow* row_of(const TypeName& type) {
  const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const MakerRow& row) {
    return row.kind == type.kind && row.group == type.group();
  });
  return found == kRows.end() ? nullptr : &*found;
}

// Nothing makes pods for an object that has ended or is being deleted.
bool is_over(const document::Cursor& root) {
  constexpr std::array<std::string_view, 4> kEnds{"Complete", "Completed", "Succeeded", "Failed"};
  if (root["metadata"]["deletionTimestamp"].is_present()) return true;
  for (const document::Cursor& condition : root["status"]["conditions"].items()) {
    const bool is_end =
        std::find(kEnds.begin(), kEnds.end(), condition["type"].text()) != kEnds.end();
    if (is_end && condition["status"].text() == "True") return true;
  }
  return false;
}

constexpr std::string_view kOwnController = "kubernetes.io/job-controller";
constexpr std::string_view kOwnJobSets = "jobset.sigs.k8s.io/jobset-controller";

}  // namespace

bool makes_children(const TypeName& type) { return row_of(type) != nullptr; }

std::vector<std::pair<std::string, std::string>> makers_by_label(const document::Value& pod) {
  std::vector<std::pair<std::string, std::string>> makers;
  const document::Value* const labels = pod.at({"metadata", "labels"});
  if (labels == nullptr) return makers;
  for (const MakerRow& row : kRows) {
    if (row.label.empty()) continue;
    const document::Value* const name = labels->find(row.label);
    if (name != nullptr) makers.emplace_back(row.kind, name->text);
  }
  return makers;
}

Result<std::string> make_children(const Parent& parent, const ChildSink& sink,
                                  std::vector<std::string>& warnings) {
  Making making(parent, sink, warnings);
  const bool is_builtin = parent.type.group() == "batch" || parent.type.group() == "apps";
  if (is_builtin) making.check(parent.type.kind, making.root());
  if (is_over(making.root())) return making.finish(kEnded);
  if (parent.is_from_cluster && !making.spec().is_present()) return making.finish("it has no spec");
  const document::Cursor manager = making.spec()["managedBy"];
  const std::string by = manager.text();
  if (!by.empty() && by != kOwnController && by != kOwnJobSets) {
    return making.finish("it is managed by " + by);
  }
  return making.finish(row_of(parent.type)->make(making));
}

}  // namespace berth::kube
