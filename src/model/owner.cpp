#include "berth/model/owner.h"

#include "berth/base/text.h"

namespace berth {

std::string_view OwnerReference::group() const {
  const std::size_t slash = api_version.find('/');
  return std::string_view(api_version).substr(0, slash == std::string::npos ? 0 : slash);
}

bool is_of_resource(std::string_view kind, std::string_view api_group, std::string_view resource) {
  const std::size_t version = resource.find('.');
  const std::size_t group =
      version == std::string_view::npos ? version : resource.find('.', version + 1);
  if (kind.empty() || group == std::string_view::npos) return false;
  if (resource.substr(group + 1) != api_group) return false;
  const std::string singular = lowered(kind);
  const std::string_view plural = resource.substr(0, version);
  const std::string stem = singular.substr(0, singular.size() - 1);
  return plural == singular + "s" || plural == singular + "es" || plural == stem + "ies";
}

std::vector<std::string> default_owner_resources() {
  return {"jobs.v1.batch",
          "statefulsets.v1.apps",
          "jobsets.v1alpha2.jobset.x-k8s.io",
          "leaderworkersets.v1.leaderworkerset.x-k8s.io",
          "pytorchjobs.v1.kubeflow.org",
          "tfjobs.v1.kubeflow.org",
          "xgboostjobs.v1.kubeflow.org",
          "paddlejobs.v1.kubeflow.org",
          "jaxjobs.v1.kubeflow.org",
          "mpijobs.v1.kubeflow.org",
          "mpijobs.v2beta1.kubeflow.org",
          "trainjobs.v1alpha1.trainer.kubeflow.org",
          "rayclusters.v1.ray.io"};
}

}  // namespace berth
