#include "kubeapi/learned_config_map.h"

#include <nlohmann/json.hpp>

#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

constexpr const char* kManagedBy = "app.kubernetes.io/managed-by";

}  // namespace

std::string LearnedConfigMap::collection() const {
  return "/api/v1/namespaces/" + url_encoded(name_space_) + "/configmaps";
}

std::string LearnedConfigMap::path() const { return collection() + "/" + kLearnedConfigMap; }

ports::LearnedStore::Fault LearnedConfigMap::fault_of(const Response& response) const {
  if (response.ok()) return {};
  return {"ConfigMap " + name_space_ + "/" + kLearnedConfigMap + ": " + response.to_string(),
          is_retryable(response)};
}

void LearnedConfigMap::read(Read done) {
  Request request;
  request.path = path();
  client_.send(std::move(request), [this, done = std::move(done)](const Response& response) {
    Texts texts;
    if (response.status == kNotFound) return done(texts, {});
    if (!response.ok()) return done(texts, fault_of(response));
    const nlohmann::json map = read_json(response.body);
    const nlohmann::json& data = value_at(map, "/data");
    if (!map.is_object()) return done(texts, {"its ConfigMap is no JSON object", true});
    if (data.is_object()) {
      for (const auto& [key, text] : data.items()) {
        if (const auto* value = text.get_ptr<const std::string*>()) texts[key] = *value;
      }
    }
    done(texts, {});
  });
}

void LearnedConfigMap::write(const Texts& texts, std::uint64_t epoch, Written done) {
  nlohmann::ordered_json body;
  body["data"] = texts;
  Request patch = request_with("PATCH", path(), kMergePatch, json_text(body));
  patch.epoch = epoch;
  client_.send(std::move(patch),
               [this, texts, epoch, done = std::move(done)](const Response& response) mutable {
                 if (response.status == kNotFound) return create(texts, epoch, std::move(done));
                 done(fault_of(response));
               });
}

void LearnedConfigMap::create(const Texts& texts, std::uint64_t epoch, Written done) {
  nlohmann::ordered_json body;
  body["apiVersion"] = "v1";
  body["kind"] = "ConfigMap";
  body["metadata"]["name"] = kLearnedConfigMap;
  body["metadata"]["labels"][kManagedBy] = "berthd";
  body["data"] = texts;
  Request creation = request_with("POST", collection(), kJson, json_text(body));
  creation.epoch = epoch;
  client_.send(std::move(creation), [this, done = std::move(done)](const Response& response) {
    done(fault_of(response));
  });
}

}  // namespace berth::kubeapi
