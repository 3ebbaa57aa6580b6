#include "kubeapi/pending_pods.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

// A pod that was bound a moment ago is still pending, since its kubelet has to start it first.
constexpr const char* kPending = "/api/v1/pods?fieldSelector=status.phase%3DPending&limit=500";

bool add_pods(const nlohmann::json& list, std::vector<ports::PendingPod>& pods) {
  const auto items = list.is_object() ? list.find("items") : list.end();
  if (!list.is_object() || items == list.end()) return false;
  if (items->is_null()) return true;
  if (!items->is_array()) return false;
  for (const nlohmann::json& pod : *items) {
    if (!pod.is_object()) return false;
    pods.push_back({text_at(pod, "/metadata/uid"), text_at(pod, "/spec/schedulerName"),
                    text_at(pod, "/spec/nodeName")});
  }
  return true;
}

}  // namespace

void PendingPodsReader::read(Done done) {
  read_page(client_, std::make_shared<Reading>(Reading{std::move(done), {}}), "");
}

void PendingPodsReader::read_page(RestClient& client, const std::shared_ptr<Reading>& reading,
                                  const std::string& token) {
  Request request;
  request.path = kPending + (token.empty() ? "" : "&continue=" + url_encoded(token));
  client.send(std::move(request), [&client, reading](const Response& response) {
    const auto list = nlohmann::json::parse(response.body, nullptr, false);
    if (!response.ok() || !add_pods(list, reading->pods)) return reading->done(std::nullopt);
    const std::string next = text_at(list, "/metadata/continue");
    if (next.empty()) return reading->done(std::move(reading->pods));
    read_page(client, reading, next);
  });
}

}  // namespace berth::kubeapi
