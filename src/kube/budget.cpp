#include <algorithm>
#include <limits>

#include "kube/codecs.h"
#include "kube/fields.h"
#include "kube/label_selector.h"
#include "kube/pod_constraints.h"

namespace berth::kube {

Result<BudgetObject> decode_budget(const document::Value& value, std::string_view file,
                                   Complaint* complaint) {
  document::Reading reading(value, file, strictness(complaint));
  const document::Cursor root = reading.root();
  Metadata metadata = read_metadata(root, "PodDisruptionBudget", Scope::namespaced);
  if (reading.failed()) return reading.error();
  BudgetObject budget;
  budget.name_space = std::move(metadata.name_space);
  budget.name = std::move(metadata.name);
  budget.uid = std::move(metadata.uid);
  const document::Cursor selector = root["spec"]["selector"];
  if (selector.is_present()) budget.selector = read_label_selector(selector);
  const document::Cursor status = root["status"];
  budget.allowed = static_cast<std::int32_t>(
      status["disruptionsAllowed"].integer(0, 0, std::numeric_limits<std::int32_t>::max()));
  for (const auto& [pod, time] : status["disruptedPods"].entries()) {
    budget.disrupted.emplace_back(pod);
  }
  std::sort(budget.disrupted.begin(), budget.disrupted.end());
  if (is_refused(reading, complaint)) return reading.error();
  if (reading.failed()) budget.selector.reset();  // API-25: the API server protects its pods
  return budget;
}

}  // namespace berth::kube
