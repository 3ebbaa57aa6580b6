#include "kubeapi/starting_pods.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

constexpr const char* kBoundAndPending =
    "/api/v1/pods?fieldSelector=spec.nodeName%21%3D%2Cstatus.phase%3DPending&limit=500";

}  // namespace

void StartingPodsReader::read(Done done) {
  read_page(std::make_shared<Reading>(Reading{std::move(done), {}}), "");
}

void StartingPodsReader::read_page(const std::shared_ptr<Reading>& reading,
                                   const std::string& token) {
  Request request;
  request.path = kBoundAndPending + (token.empty() ? "" : "&continue=" + url_encoded(token));
  client_.send(std::move(request), [this, reading](const Response& response) {
    std::string next;
    if (!response.ok() || !add_page(response.body, *reading, next)) {
      return reading->done(std::nullopt);
    }
    if (next.empty()) return reading->done(std::move(reading->uids));
    read_page(reading, next);
  });
}

// False: it is no list of pods.
bool StartingPodsReader::add_page(const std::string& body, Reading& reading,
                                  std::string& token) const {
  const nlohmann::json list = read_json(body);
  const auto items = list.is_object() ? list.find("items") : list.end();
  if (!list.is_object() || items == list.end()) return false;
  if (!items->is_array() && !items->is_null()) return false;
  for (const nlohmann::json& pod : *items) {
    if (!pod.is_object()) return false;
    const auto& ours = managed_schedulers_;
    if (std::find(ours.begin(), ours.end(), text_at(pod, "/spec/schedulerName")) == ours.end()) {
      continue;
    }
    reading.uids.insert(text_at(pod, "/metadata/uid"));
  }
  token = text_at(list, "/metadata/continue");
  return true;
}

}  // namespace berth::kubeapi
