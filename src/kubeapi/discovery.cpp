#include "kubeapi/discovery.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "berth/base/thread_name.h"
#include "kubeapi/cancellation.h"
#include "kubeapi/json_text.h"

namespace berth::kubeapi {

namespace {

using PlainJson = nlohmann::json;

constexpr const char* kGroups = "/apis";
constexpr Duration kPatience = std::chrono::seconds(5);  // stop() waits for an answer

// "jobsets", "v1alpha2" and "jobset.x-k8s.io" of their name.
struct Parts {
  std::string plural;
  std::string version;
  std::string group;
  std::string api_version() const { return group + "/" + version; }
};

Parts parts_of(const std::string& resource) {
  const std::size_t version = resource.find('.');
  const std::size_t group = resource.find('.', version + 1);
  return {resource.substr(0, version), resource.substr(version + 1, group - version - 1),
          resource.substr(group + 1)};
}

const PlainJson& list_at(const PlainJson& object, const char* key) {
  static const PlainJson kNone = PlainJson::array();
  const bool has_list = object.is_object() && object.contains(key) && object[key].is_array();
  return has_list ? object[key] : kNone;
}

}  // namespace

class Discovery::Impl {
 public:
  Impl(RestClient& client, std::vector<std::string> resources, DiscoveryOptions options,
       std::function<void(const ServedResource&)> found)
      : client_(client),
        missing_(std::move(resources)),
        options_(std::move(options)),
        found_(std::move(found)),
        has_looked_(missing_.empty()) {}
  ~Impl() { stop(); }

  void start() {
    if (missing_.empty() || thread_.joinable() || cancel_.is_cancelled()) return;
    thread_ = std::thread([this] {
      name_thread("discovery");
      while (!cancel_.is_cancelled() && !missing_.empty()) {
        look();
        if (missing_.empty() || cancel_.wait_for(options_.again)) return;
      }
    });
  }

  void stop() {
    cancel_.cancel();
    if (thread_.joinable()) thread_.join();
  }

  bool has_looked() const { return has_looked_; }

 private:
  void look() {
    const auto groups = get(kGroups, "API groups");
    if (!groups) return;
    std::set<std::string> served;
    for (const PlainJson& group : list_at(*groups, "groups")) {
      for (const PlainJson& version : list_at(group, "versions")) {
        served.insert(text_at(version, "/groupVersion"));
      }
    }
    std::vector<std::string> asked;  // of two versions, the first that is wanted
    for (const std::string& resource : missing_) {
      const std::string api_version = parts_of(resource).api_version();
      const bool is_new = std::find(asked.begin(), asked.end(), api_version) == asked.end();
      if (is_new && served.contains(api_version)) asked.push_back(api_version);
    }
    for (const std::string& api_version : asked) look_in(api_version);
    has_looked_ = true;
  }

  void look_in(const std::string& api_version) {
    const auto resources = get("/apis/" + api_version, api_version);
    if (!resources) return;
    std::map<std::string, std::string> kinds;  // by plural
    for (const PlainJson& each : list_at(*resources, "resources")) {
      kinds[text_at(each, "/name")] = text_at(each, "/kind");
    }
    const std::vector<std::string> missing = missing_;
    for (const std::string& resource : missing) {
      const Parts parts = parts_of(resource);
      const auto kind = kinds.find(parts.plural);
      const bool is_missing =
          std::find(missing_.begin(), missing_.end(), resource) != missing_.end();
      if (parts.api_version() != api_version || kind == kinds.end() || !is_missing) continue;
      // All versions of a resource have the same objects.
      std::erase_if(missing_, [&](const std::string& other) {
        const Parts others = parts_of(other);
        return others.plural == parts.plural && others.group == parts.group;
      });
      found_({resource, api_version, kind->second});
    }
  }

  std::optional<PlainJson> get(const std::string& path, const std::string& what) {
    Request request;
    request.path = path;
    request.deadline = kPatience;
    const Response response = client_.call(std::move(request));
    if (cancel_.is_cancelled()) return std::nullopt;
    const bool is_for_now = response.status == 0 || response.status >= 500;
    has_looked_ = has_looked_ || (path == kGroups && !is_for_now && !response.ok());
    PlainJson json = read_json(response.body);
    if (response.ok() && json.is_object()) {
      failed_.erase(what);
      return json;
    }
    const std::string error = response.to_string();
    const bool is_new = std::exchange(failed_[what], error) != error;
    if (is_new && options_.complain) options_.complain(what, Error{error, path});
    return std::nullopt;
  }

  RestClient& client_;
  std::vector<std::string> missing_;
  const DiscoveryOptions options_;
  const std::function<void(const ServedResource&)> found_;
  std::map<std::string, std::string> failed_;  // the last error of each request
  std::atomic<bool> has_looked_;
  Cancellation cancel_;
  std::thread thread_;
};

Discovery::Discovery(RestClient& client, std::vector<std::string> resources,
                     DiscoveryOptions options,
                     std::function<void(const ServedResource& resource)> found)
    : impl_(std::make_unique<Impl>(client, std::move(resources), std::move(options),
                                   std::move(found))) {}

Discovery::~Discovery() = default;

void Discovery::start() { impl_->start(); }

void Discovery::stop() { impl_->stop(); }

bool Discovery::has_looked() const { return impl_->has_looked(); }

}  // namespace berth::kubeapi
