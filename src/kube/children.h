#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/base/result.h"
#include "document/value.h"
#include "kube/codecs.h"

// The objects that a controller makes of one of its objects: pods, or objects of which other
// controllers make pods. So a job can be planned before it is submitted. Names, labels, annotations
// and owners are as the controllers write them; the rest of a pod is as in its template.

namespace berth::kube {

// Takes one child with its apiVersion, kind and metadata. An Error ends the making.
using ChildSink = std::function<Status(document::Value child)>;

// The most pods that one object may make here, and the most objects that make pods.
inline constexpr std::int64_t kPodsMax = 100'000;

struct Parent {
  const TypeName& type;
  const document::Value& object;  // with a name and a uid
  std::string_view file;
  bool is_from_cluster = false;  // the API server has checked its fields
};

// True for Job, StatefulSet, JobSet, LeaderWorkerSet, the jobs of Kubeflow's training operator,
// MPIJob, RayCluster and RayJob.
bool makes_children(const TypeName& type);

// The kinds and names of objects for which the pod is made, by its labels, though a controller of
// another one has made it.
std::vector<std::pair<std::string, std::string>> makers_by_label(const document::Value& pod);

// Makes the children that the controller makes first. Returns a remark where these are not all
// ("it is suspended"), or an empty text. Strict: an Error names the place in the file.
Result<std::string> make_children(const Parent& parent, const ChildSink& sink,
                                  std::vector<std::string>& warnings);

}  // namespace berth::kube
